//! Known answers by hand, and the gradient against central differences of a plain loss in f64.

use super::*;
use crate::Seed;
use ndarray::array;
use rand::RngExt;

/// Eq. (senet), entry by entry in f64.
fn plain_loss(loss: &SelfExpression, given: &Expressed, q: &Array2<f64>, k: &Array2<f64>, t: f64) -> f64 {
    let (m, b, p) = (q.nrows(), k.nrows(), q.ncols() as f64);
    let (eta, lambda) = (f64::from(loss.reconstruction), f64::from(loss.sparsity));
    let mut total = 0.0;
    for i in 0..m {
        let mut rest: Vec<f64> = given.rows.row(i).iter().map(|&x| x.into()).collect();
        for j in (0..b).filter(|&j| Some(j) != given.own[i]) {
            let s = q.row(i).dot(&k.row(j));
            let c = s.signum() * (s.abs() - t).max(0.0) / p;
            rest.iter_mut().zip(given.keys.row(j)).for_each(|(r, &z)| *r -= c * f64::from(z));
            total += lambda * c.abs() + 0.5 * (1.0 - lambda) * c * c;
        }
        total += 0.5 * eta * rest.iter().map(|r| r * r).sum::<f64>();
    }
    total / m as f64
}

#[test]
fn gradients_match_central_differences_in_f64() {
    let mut rng = Seed(4).stream("self-expression");
    let mut random = |n: usize, d: usize| Array2::from_shape_fn((n, d), |_| rng.random::<f32>() - 0.5);
    let (rows, keys, q, k) = (random(5, 6), random(9, 6), random(5, 4), random(9, 4));
    let own = [Some(3), None, Some(0), None, Some(8)];
    for (reconstruction, sparsity, threshold) in [(200.0, 0.9, 0.05), (3.0, 0.2, 0.0), (10.0, 1.0, -0.02)] {
        let loss = SelfExpression { reconstruction, sparsity };
        let given = Expressed {
            rows: rows.view(),
            keys: keys.view(),
            own: &own,
            query_codes: q.view(),
            key_codes: k.view(),
            threshold,
        };
        let found = loss.evaluate(&given);
        let (q64, k64, t64) = (q.mapv(f64::from), k.mapv(f64::from), f64::from(threshold));
        let expected = plain_loss(&loss, &given, &q64, &k64, t64);
        assert!((found.total - expected).abs() < 1e-5 * expected, "{} for {expected}", found.total);
        let step = 1e-5;
        let check = |numeric: f64, value: f32, what: &str| {
            assert!((numeric - f64::from(value)).abs() < 1e-4 * (1.0 + numeric.abs()), "{what}: {value} for {numeric}");
        };
        for place in [(0, 0), (2, 3), (4, 1)] {
            let moved = |delta: f64| {
                let mut q = q64.clone();
                q[place] += delta;
                plain_loss(&loss, &given, &q, &k64, t64)
            };
            check((moved(step) - moved(-step)) / (2.0 * step), found.queries[place], "query");
        }
        for place in [(0, 0), (3, 2), (8, 1)] {
            let moved = |delta: f64| {
                let mut k = k64.clone();
                k[place] += delta;
                plain_loss(&loss, &given, &q64, &k, t64)
            };
            check((moved(step) - moved(-step)) / (2.0 * step), found.keys[place], "key");
        }
        let moved = |delta: f64| plain_loss(&loss, &given, &q64, &k64, t64 + delta);
        check((moved(step) - moved(-step)) / (2.0 * step), found.threshold, "threshold");
    }
}

#[test]
fn one_row_and_two_keys_by_hand() {
    // products 1 and -2, threshold 0.5, one code: coefficients 0.5 and -1.5
    let (rows, keys) = (array![[1.0, 0.0]], array![[1.0, 0.0], [0.0, 1.0]]);
    let (queries, codes) = (array![[1.0]], array![[1.0], [-2.0]]);
    let given = Expressed {
        rows: rows.view(),
        keys: keys.view(),
        own: &[None],
        query_codes: queries.view(),
        key_codes: codes.view(),
        threshold: 0.5,
    };
    let value = SelfExpression { reconstruction: 4.0, sparsity: 0.5 }.evaluate(&given);
    assert_eq!(value.reconstruction, 0.25 + 2.25);
    assert_eq!(value.penalty, 0.5 * 2.0 + 0.25 * (0.25 + 2.25));
    assert_eq!(value.total, 2.0 * 2.5 + value.penalty);
    let alone = SelfExpression { reconstruction: 4.0, sparsity: 0.5 }.evaluate(&Expressed { own: &[Some(1)], ..given });
    assert_eq!((alone.reconstruction, alone.penalty), (0.25, 0.25 + 0.0625));
    assert_eq!(alone.keys[[1, 0]], 0.0, "a row does not express itself");
}
