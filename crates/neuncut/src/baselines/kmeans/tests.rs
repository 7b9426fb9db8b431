//! k-means finds what it must, falls with every step, and does not depend on threads or grouping.

use super::*;
use ndarray::s;
use rand::RngExt;

fn three_groups() -> Array2<f32> {
    let mut rng = Seed(1).stream("groups");
    Array2::from_shape_fn((300, 2), |(i, j)| [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]][i % 3][j] + rng.random::<f32>())
}

fn noise(n: usize, d: usize) -> Array2<f32> {
    let mut rng = Seed(2).stream("noise");
    Array2::from_shape_fn((n, d), |_| rng.random::<f32>())
}

#[test]
fn separated_groups_are_found_and_new_rows_labelled_alike() {
    let rows = three_groups();
    let fitted = KMeans::new(3).fit(rows.view()).unwrap();
    let labels = fitted.labels();
    assert!((3..300).all(|i| labels[i] == labels[i % 3]) && labels[0] != labels[1] && labels[1] != labels[2]);
    assert_eq!(fitted.predict(rows.view()).unwrap(), labels);
    assert!((fitted.inertia - 300.0 / 6.0).abs() < 10.0, "two uniform coordinates of variance 1/12 each");
}

#[test]
fn the_best_run_is_a_fixed_point_of_lloyd_by_hand() {
    let rows = noise(700, 5);
    let fitted = KMeans::new(6).fit(rows.view()).unwrap();
    let squared = |row: usize, center: ndarray::ArrayView1<f32>| -> f64 {
        rows.row(row).iter().zip(center).map(|(&x, &c)| (f64::from(x) - f64::from(c)).powi(2)).sum()
    };
    let mut inertia = 0.0;
    for (i, &label) in fitted.labels().iter().enumerate() {
        let own = squared(i, fitted.centers.row(label as usize));
        assert!(fitted.centers.rows().into_iter().all(|center| squared(i, center) >= own - 1e-5), "row {i}");
        inertia += own;
    }
    assert!((inertia - fitted.inertia).abs() < 1e-5 * inertia);
    for (c, center) in fitted.centers.rows().into_iter().enumerate() {
        let members: Vec<usize> = (0..700).filter(|&i| fitted.labels()[i] == c as u32).collect();
        let mean = rows.select(Axis(0), &members).mean_axis(Axis(0)).unwrap();
        assert!((&mean - &center).iter().all(|d| d.abs() < 1e-3), "cluster {c}");
    }
}

#[test]
fn the_same_on_any_number_of_threads_and_in_any_grouping() {
    let rows = noise(5000, 3);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| KMeans::new(7).fit(rows.view()).unwrap())
    };
    let fitted = run(1);
    assert_eq!(fitted, run(3));
    for chunk in [1, 100, 300] {
        let part = fitted.predict(rows.slice(s![200..200 + chunk, ..])).unwrap();
        assert_eq!(part, fitted.labels()[200..200 + chunk]);
    }
}

#[test]
fn rows_far_from_the_origin_lose_no_digits() {
    let rows = three_groups() + 10_000.0;
    let fitted = KMeans::new(3).fit(rows.view()).unwrap();
    assert!((fitted.inertia - 50.0).abs() < 10.0, "{}", fitted.inertia);
}

#[test]
fn mini_batches_come_close_to_all_rows() {
    let rows = noise(20_000, 4);
    let whole = KMeans::new(8).fit(rows.view()).unwrap();
    let batched = KMeans { minibatch_above: 1000, ..KMeans::new(8) }.fit(rows.view()).unwrap();
    assert_ne!(batched.centers, whole.centers);
    assert!(batched.inertia < 1.02 * whole.inertia, "{} for {}", batched.inertia, whole.inertia);
}

#[test]
fn an_empty_cluster_takes_the_farthest_row() {
    let rows = three_groups();
    let centred = Centred::new(rows.view(), None);
    // two centres on one row: the second of equals gets nothing
    let seeds = centred.rows.select(Axis(0), &[0, 0, 1]);
    let run = descend(&centred, vec![seeds], 20, 0.0).pop().unwrap();
    assert!(run.inertia < 60.0, "all three groups are found: {}", run.inertia);
}

#[test]
fn duplicates_and_too_few_rows() {
    let fitted = KMeans::new(3).fit(Array2::ones((5, 2)).view()).unwrap();
    assert!(fitted.inertia.abs() < 1e-6);
    assert!(KMeans::new(3).fit(Array2::ones((2, 2)).view()).is_err());
    assert!(KMeans::new(0).fit(Array2::ones((2, 2)).view()).is_err());
    assert!(KMeans { restarts: 0, ..KMeans::new(1) }.fit(Array2::ones((2, 2)).view()).is_err());
}

/// A row of weight three does what three equal rows do, and one of weight zero what none does.
#[test]
fn weights_are_repeats() {
    let rows = three_groups();
    let weights: Vec<f32> = (0..rows.nrows()).map(|i| (i % 4) as f32).collect();
    let repeats: Vec<usize> = (0..rows.nrows()).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    let repeated = KMeans::new(3).fit(rows.select(Axis(0), &repeats).view()).unwrap();
    let weighed = KMeans::new(3).fit_weighed(rows.view(), Some(&weights)).unwrap();
    let nearest = |center: ndarray::ArrayView1<f32>| {
        let far = |other: ndarray::ArrayView1<f32>| (&center - &other).mapv(|x| x * x).sum();
        repeated.centers.rows().into_iter().map(far).fold(f32::INFINITY, f32::min)
    };
    assert!(weighed.centers.rows().into_iter().map(nearest).all(|squared| squared < 1e-6));
    let (per_row, per_repeat) = (weighed.inertia / rows.nrows() as f64, repeated.inertia / repeats.len() as f64);
    assert!((per_row - per_repeat).abs() < 1e-4 * per_repeat, "{per_row} for {per_repeat}");
    let ones = KMeans::new(3).fit_weighed(rows.view(), Some(&vec![1.0; rows.nrows()])).unwrap();
    let none = KMeans::new(3).fit(rows.view()).unwrap();
    assert!((ones.inertia - none.inertia).abs() < 1e-6 * none.inertia);
}

#[test]
fn mini_batches_know_weights() {
    let rows = noise(4000, 2);
    // only rows right of the middle weigh anything
    let weights: Vec<f32> = rows.column(0).iter().map(|&x| f32::from(u8::from(x > 0.5))).collect();
    let means = KMeans { minibatch_above: 1000, ..KMeans::new(4) };
    let fitted = means.fit_weighed(rows.view(), Some(&weights)).unwrap();
    assert!(fitted.centers.column(0).iter().all(|&x| x > 0.5), "{}", fitted.centers);
}
