//! Learning curves of the network that was kept, epoch by epoch.

use crate::report::curves::{Series, curve_panel};
use crate::report::figures::scores_by_epoch;
use crate::report::lines::Panel;
use crate::watch::EpochScores;
use neuncut::methods::Model;
use neuncut::train::History;

/// Stages of the training on the cut.
const CUT: &str = "neural cut";
const WARM: &str = "warm start";

/// A stage with its quantities, one value an epoch.
pub struct Stage {
    pub name: String,
    pub series: Vec<(String, Vec<f64>)>,
}

/// The section; nothing where no network was trained.
pub fn curves_section(model: &Model, scores: &[EpochScores]) -> String {
    let mut panels = String::new();
    if !kept_scores(model, scores).is_empty() {
        for line in score_panel(scores).lines {
            let values: Vec<f64> = line.points.iter().map(|point| point.y).collect();
            panels += &curve_panel(&Series { name: &line.name, values: &values }, "epoch");
        }
    }
    for stage in kept_stages(model) {
        for (name, values) in &stage.series {
            panels += &curve_panel(&Series { name: &format!("{name}, {}", stage.name), values }, "epoch");
        }
    }
    if panels.is_empty() {
        return String::new();
    }
    let note = match left_out(model) && model.record.history.iter().any(|run| run.stage == CUT) {
        true => {
            "Training on the cut did not improve the labels on rows that the start had not seen, so the network before it was kept: \
                 these are its curves."
        }
        false => {
            "Of the network that was kept; a value is the mean of an epoch. Each axis spans the values of its curve."
        }
    };
    format!(
        "<section id=\"curves-section\"><h2>Learning curves</h2><p>{note}</p><div class=\"nn-panels\">{panels}</div></section>\n"
    )
}

/// Whether the network was trained on the cut and the one before that was kept.
fn left_out(model: &Model) -> bool {
    let found = &model.record.diagnostics;
    found.guard_kept_start && found.revivals == 0
}

/// The scores by epoch, where they are of the network that was kept.
pub fn kept_scores<'a>(model: &Model, scores: &'a [EpochScores]) -> &'a [EpochScores] {
    if left_out(model) { &[] } else { scores }
}

/// The stages of the network that was kept, the training on the cut first: of several attempts the last one.
pub fn kept_stages(model: &Model) -> Vec<Stage> {
    let history = &model.record.history;
    let last_cut = history.iter().rposition(|run| run.stage == CUT);
    let before = last_cut.unwrap_or(history.len());
    let warm_from = history[..before].iter().rposition(|run| run.stage != WARM).map_or(0, |at| at + 1);
    let mut stages: Vec<Stage> = Vec::new();
    for (at, run) in history.iter().enumerate() {
        let kept = match run.stage.as_str() {
            CUT => Some(at) == last_cut && !left_out(model),
            WARM => at >= warm_from,
            _ => true,
        };
        match stages.iter_mut().find(|stage| stage.name == run.stage) {
            _ if !kept => {}
            Some(stage) => {
                stage.series.iter_mut().zip(columns(run)).for_each(|(known, (_, more))| known.1.extend(more))
            }
            None => stages.push(Stage { name: run.stage.clone(), series: columns(run) }),
        }
    }
    stages.sort_by_key(|stage| stage.name != CUT);
    stages
}

/// The terms and, for the training on the cut, the learning rate.
fn columns(run: &History) -> Vec<(String, Vec<f64>)> {
    let label = |term: &str| match term {
        "lap" => "L_lap".to_string(),
        "orth" => "L_orth".to_string(),
        other => other.to_string(),
    };
    let values = |at: usize| run.epochs.iter().map(|epoch| epoch.values[at]).collect();
    let mut columns: Vec<_> = run.terms.iter().enumerate().map(|(at, term)| (label(term), values(at))).collect();
    if run.stage == CUT {
        columns.push(("learning rate".into(), run.epochs.iter().map(|epoch| epoch.learning_rate).collect()));
    }
    columns
}

/// Scores after each epoch.
pub fn score_panel(scores: &[EpochScores]) -> Panel {
    Panel {
        title: format!("scores, {CUT}"),
        x_title: "epoch".into(),
        log: false,
        lines: scores_by_epoch(&serde_json::json!(scores)),
        from_zero: true,
        mark: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use neuncut::job::Job;
    use neuncut::methods::{Config, KMeansOptions, Method};
    use neuncut::train::EpochRecord;

    #[test]
    fn only_the_last_attempt_of_the_kept_network_is_drawn() {
        let rows = Array2::from_shape_fn((12, 2), |(i, j)| (i % 2 * 10 + j) as f32 + i as f32 * 0.1);
        let config = Config::of(Method::KMeans(KMeansOptions::default()), 2);
        let mut model = Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap();
        let run = |stage: &str, value: f64| History {
            stage: stage.into(),
            terms: vec!["loss".into()],
            epochs: vec![EpochRecord { epoch: 1, learning_rate: 0.1, values: vec![value] }],
        };
        model.record.history =
            vec![run("senet", 9.0), run(WARM, 1.0), run(CUT, 2.0), run(WARM, 3.0), run(WARM, 4.0), run(CUT, 5.0)];
        let drawn = |model: &Model| -> Vec<(String, Vec<f64>)> {
            kept_stages(model).into_iter().map(|stage| (stage.name, stage.series[0].1.clone())).collect()
        };
        let stage = |name: &str, values: &[f64]| (name.to_owned(), values.to_vec());
        assert_eq!(drawn(&model), [stage(CUT, &[5.0]), stage("senet", &[9.0]), stage(WARM, &[3.0, 4.0])]);
        model.record.history.truncate(3);
        model.record.diagnostics.guard_kept_start = true;
        assert_eq!(drawn(&model), [stage("senet", &[9.0]), stage(WARM, &[1.0])]);
        assert!(curves_section(&model, &[]).contains("the network before it was kept"));
    }
}
