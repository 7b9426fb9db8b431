use super::*;
use crate::Seed;
use crate::features::ArrayRows;
use crate::methods::{Auto, Method, Start};
use crate::train::{Interrupt, Silent};
use ndarray::Array2;
use rand::RngExt;

/// Three round clouds, one row of each in turn.
fn clouds(n: usize) -> Array2<f32> {
    let mut rng = Seed(0).stream("clouds");
    Array2::from_shape_fn((n, 4), |(i, j)| if i % 3 == j { 6.0 } else { 0.0 } + rng.random::<f32>())
}

fn config(method: &str, change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::of(Method::named(method).unwrap(), 3);
    config.features = "standardize,pca=2".parse().unwrap();
    change(&mut config);
    config
}

fn run(config: Config, rows: &Array2<f32>) -> Result<Outcome> {
    Job::new(config)?.run(&mut ArrayRows::new(rows.view(), None), &mut Silent)
}

/// Whether labels tell the clouds apart.
fn is_right(labels: &[u32]) -> bool {
    labels.iter().enumerate().all(|(i, label)| *label == labels[i % 3])
        && labels[0] != labels[1]
        && labels[1] != labels[2]
}

#[test]
fn a_sample_is_fitted_and_the_model_takes_raw_rows() {
    let rows = clouds(300);
    let outcome = run(config("kmeans", |c| c.train_rows = Auto::Given(60)), &rows).unwrap();
    let fitted = outcome.fitted.unwrap();
    assert_eq!((fitted.len(), outcome.labels.len()), (60, 60));
    let model = outcome.model.unwrap();
    assert_eq!((model.columns, model.chain.steps.len(), model.record.rows, model.record.trained_rows), (4, 3, 300, 60));
    let labels = model.predict(rows.view()).unwrap();
    assert!(is_right(&labels));
    assert!(fitted.iter().zip(&outcome.labels).all(|(&row, label)| labels[row as usize] == *label));
}

#[test]
fn a_method_without_a_model_is_fitted_on_all_rows() {
    let rows = clouds(300);
    let outcome = run(config("ncut", |c| c.train_rows = Auto::Given(60)), &rows).unwrap();
    assert!(outcome.model.is_none() && outcome.fitted.is_none() && outcome.graph.is_some());
    assert!(is_right(&outcome.labels) && outcome.labels.len() == 300);
}

#[test]
fn labels_to_start_from_follow_the_sample() {
    let rows = clouds(300);
    let job = |labels: Vec<Option<u32>>| {
        let mut job = Job::new(config("neuncut", |c| {
            c.train_rows = Auto::Given(90);
            let Method::NeuNcut(options) = &mut c.method else { panic!("{}", c.method) };
            options.init = Start::Labels(None);
            (options.network.epochs, options.network.hidden) = (Auto::Given(2), vec![16].into());
        }))
        .unwrap();
        job.start = Some(StartLabels { path: "start.csv".into(), labels, names: vec!["a".into(); 3] });
        job.run(&mut ArrayRows::new(rows.view(), None), &mut Silent)
    };
    let model = job((0..300).map(|i| Some(2 - i % 3)).collect()).unwrap().model.unwrap();
    assert_eq!(model.predict(rows.view()).unwrap(), (0..300).map(|i| 2 - i % 3).collect::<Vec<u32>>());
    assert_eq!(model.record.cluster_names, ["a", "a", "a"]);
    let refused = job(vec![Some(0); 7]).unwrap_err().to_string();
    assert!(refused.contains("start.csv") && refused.contains("7 labels for 300 rows"), "{refused}");
}

#[test]
fn errors_name_the_row_of_the_source() {
    let mut rows = clouds(300);
    let plain =
        |train_rows| config("kmeans", |c| (c.features, c.train_rows) = (Default::default(), Auto::Given(train_rows)));
    let drawn = run(plain(60), &rows).unwrap().fitted.unwrap();
    rows[(drawn[10] as usize, 1)] = f32::NAN;
    let refused = run(plain(60), &rows).unwrap_err().to_string();
    assert!(refused.contains(&format!("row {}", drawn[10] + 1)), "{refused}");
    let refused = run(plain(60), &clouds(2)).unwrap_err().to_string();
    assert!(refused.contains("2 rows, but 3 are needed"), "{refused}");
}

/// Asks to stop at once.
struct Impatient;

impl Observer for Impatient {
    fn interrupted(&self) -> bool {
        true
    }
}

#[test]
fn it_can_be_stopped() {
    let rows = clouds(300);
    for method in ["kmeans", "ncut", "neuncut"] {
        let outcome =
            Job::new(config(method, |_| {})).unwrap().run(&mut ArrayRows::new(rows.view(), None), &mut Impatient);
        assert!(matches!(outcome, Err(Error::Interrupted)), "{method}");
    }
}

/// Asks to stop when a stage begins, and in the middle of calculations alone.
struct Midway {
    stage: &'static str,
    flag: Interrupt,
}

impl Observer for Midway {
    fn stage(&mut self, name: &str) {
        if name.starts_with(self.stage) {
            self.flag.request();
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.flag.clone()
    }

    fn interrupted(&self) -> bool {
        false
    }
}

#[test]
fn it_can_be_stopped_in_the_middle_of_a_calculation() {
    let rows = clouds(700);
    for (method, stage) in [
        ("kmeans", "k-means"),
        ("ncut", "eigenvectors"),
        ("leiden", "communities"),
        ("lsc", "k-means"),
        ("neuncut", "start on"),
        ("icon", "nearest neighbours"),
    ] {
        let run = |stage| {
            let mut observer = Midway { stage, flag: Interrupt::new() };
            let job = Job::new(config(method, |_| {})).unwrap();
            job.run(&mut ArrayRows::new(rows.view(), None), &mut observer)
        };
        assert!(matches!(run(stage), Err(Error::Interrupted)), "{method}");
        // the thread that was stopped fits again
        assert!(run("no stage").is_ok(), "{method}");
    }
}

fn weighed(config: Config, rows: &Array2<f32>, values: Vec<f64>) -> Result<Outcome> {
    let mut job = Job::new(config)?;
    job.weights = Some(RowWeights { name: "mass".into(), values });
    job.run(&mut ArrayRows::new(rows.view(), None), &mut Silent)
}

#[test]
fn equal_weights_are_none_and_others_go_with_their_rows() {
    let rows = clouds(300);
    let sampled = || config("kmeans", |c| c.train_rows = Auto::Given(60));
    let (without, with) = (run(sampled(), &rows).unwrap(), weighed(sampled(), &rows, vec![7.0; 300]).unwrap());
    assert_eq!((with.fitted, with.labels), (without.fitted, without.labels));
    assert_eq!(with.model.unwrap().to_bytes().unwrap(), without.model.unwrap().to_bytes().unwrap());
    // one cloud weighs nothing: no row of it is drawn
    let values = (0..300).map(|i| if i % 3 == 1 { 0.0 } else { 1.0 + (i % 2) as f64 }).collect();
    let outcome =
        weighed(config("kmeans", |c| (c.clusters, c.train_rows) = (2, Auto::Given(60))), &rows, values).unwrap();
    assert!(outcome.fitted.unwrap().iter().all(|row| row % 3 != 1));
    let short = weighed(sampled(), &rows, vec![1.0, 2.0]).map(|_| ()).unwrap_err().to_string();
    assert!(short.contains("mass: holds 2 weights for 300 rows"), "{short}");
    let refused = weighed(config("leiden", |_| ()), &rows, vec![1.0; 300]).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("neuncut, neurcut, ensemble, kmeans, not of leiden"), "{refused}");
}

#[test]
fn links_hold_and_errors_name_their_rows() {
    let rows = clouds(300);
    let linked = |method: &str, pairs: &[(u32, u32, bool)]| {
        let mut job = Job::new(config(method, |c| c.train_rows = Auto::Given(60))).unwrap();
        let links = pairs.iter().map(|&(i, j, must)| crate::data::Link { i, j, must }).collect();
        job.links = Some(LinkList { path: "links.csv".into(), links });
        job.run(&mut ArrayRows::new(rows.view(), None), &mut Silent)
    };
    // rows 0 and 1 are of two clouds, rows 3 and 6 of one
    let outcome = linked("ensemble", &[(0, 1, true), (3, 6, false), (9, 299, false)]).unwrap();
    assert_eq!(outcome.links.unwrap(), LinkFindings { held: 3, broken: Vec::new() });
    let error = |pairs: &[(u32, u32, bool)]| linked("ensemble", pairs).map(|_| ()).unwrap_err().to_string();
    assert!(error(&[(2, 300, true)]).starts_with("links.csv: the link of rows 2 and 300"));
    assert!(error(&[(2, 3, true), (2, 3, false)]).contains("rows 2 and 3 cannot be together"));
    let refused = linked("kmeans", &[(0, 1, true)]).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("neuncut, neurcut, ensemble, not of kmeans"), "{refused}");
}

#[test]
fn a_model_of_too_large_numbers_is_refused_before_it_is_written() {
    let mut one = clouds(100);
    one[[7, 2]] = 1e20;
    let all = clouds(100) * 4e37;
    for method in ["neuncut", "kmeans", "lsc", "reskm", "uspec", "temi"] {
        for (rows, name) in [(&one, "a mark of a missing value"), (&all, "all rows")] {
            let config = Config::of(Method::named(method).unwrap(), 3);
            match run(config, rows) {
                Err(error) => assert!(matches!(error, Error::Degenerate(_)), "{method}, {name}: {error}"),
                Ok(outcome) => {
                    let bytes = outcome.model.unwrap().to_bytes().unwrap();
                    Model::from_bytes(&bytes, "model".as_ref()).unwrap_or_else(|e| panic!("{method}, {name}: {e}"));
                }
            }
        }
    }
    let message = run(Config::of(Method::named("kmeans").unwrap(), 3), &one).unwrap_err().to_string();
    assert!(message.contains("column 3 holds 1e20, and its distances overflow"), "{message}");
}

#[test]
fn few_given_labels_name_the_clusters_of_a_whole_start() {
    // two long stripes, with labels at one end of each
    let rows = Array2::from_shape_fn((600, 2), |(i, j)| match j {
        0 => (i / 2) as f32 * 0.05,
        _ => (i % 2) as f32 * 2.0 + (i * 7 % 11) as f32 * 0.02,
    });
    let config = config("neuncut", |c| {
        (c.clusters, c.features) = (2, Default::default());
        let Method::NeuNcut(options) = &mut c.method else { panic!("{}", c.method) };
        options.init = Start::Labels(None);
        (options.network.epochs, options.network.hidden) = (Auto::Given(2), vec![32].into());
    });
    let mut job = Job::new(config).unwrap();
    // the second label is given first: the clusters are called as it was given
    let given = |i: usize| [(0, 1), (598, 1), (1, 0)].iter().find(|(row, _)| *row == i).map(|(_, label)| *label);
    let labels = (0..600).map(given).collect();
    job.start = Some(StartLabels { path: "start".into(), labels, names: vec!["a".into(), "b".into()] });
    let labels = job.fit(rows.view()).unwrap().labels;
    let right = (0..600).filter(|&i| labels[i] as usize == 1 - i % 2).count();
    assert!(right >= 594, "{right} of 600");
}

#[test]
fn there_may_be_more_clusters_than_labels_where_few_rows_have_one() {
    let rows =
        Array2::from_shape_fn((600, 2), |(i, j)| (i % 3 * [9, 4][j]) as f32 + (i * (7 + 4 * j) % 11) as f32 * 0.1);
    let config = config("neuncut", |c| {
        (c.clusters, c.features) = (3, Default::default());
        let Method::NeuNcut(options) = &mut c.method else { panic!("{}", c.method) };
        options.init = Start::Labels(None);
        (options.network.epochs, options.network.hidden) = (Auto::Given(2), vec![32].into());
    });
    let mut job = Job::new(config.clone()).unwrap();
    let labels =
        (0..600).map(|i| [(1, 0), (2, 1)].iter().find(|(row, _)| *row == i).map(|(_, label)| *label)).collect();
    job.start = Some(StartLabels { path: "start".into(), labels, names: vec!["7".into(), "9".into()] });
    let outcome = job.fit(rows.view()).unwrap();
    assert!((0..600).all(|i| outcome.labels[i] == [2, 0, 1][i % 3]), "{:?}", &outcome.labels[..9]);
    assert_eq!(outcome.model.unwrap().record.cluster_names, ["7", "9", "10"]);
    // labels of most rows say how many clusters there are
    let mut job = Job::new(config).unwrap();
    let labels = (0..600).map(|i| Some(u32::from(i % 3 > 0))).collect();
    job.start = Some(StartLabels { path: "start".into(), labels, names: Vec::new() });
    assert!(job.fit(rows.view()).unwrap_err().to_string().contains("labels without any row of cluster 2"));
}
