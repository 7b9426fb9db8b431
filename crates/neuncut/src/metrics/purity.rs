//! How well a graph keeps to known classes.

use super::contingency::check_lengths;
use crate::Result;
use crate::graph::Csr;

/// The share of a graph's weight that joins rows of one class; zero where there is no weight.
///
/// # Errors
/// When there is not one class per node.
pub fn purity(graph: &Csr, classes: &[u32]) -> Result<f64> {
    check_lengths(graph.len(), classes.len())?;
    let (mut within, mut all) = (0.0, 0.0);
    for (i, class) in classes.iter().enumerate() {
        for (j, weight) in graph.neighbors(i) {
            let weight = f64::from(weight);
            all += weight;
            within += if classes[j] == *class { weight } else { 0.0 };
        }
    }
    Ok(if all > 0.0 { within / all } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purity_by_hand() {
        let graph = Csr::symmetrized(3, [(0, 1, 2.0), (1, 2, 6.0)].into_iter());
        assert_eq!(purity(&graph, &[5, 5, 7]).unwrap(), 0.25);
        assert_eq!(purity(&Csr::symmetrized(2, [].into_iter()), &[0, 1]).unwrap(), 0.0);
        assert!(purity(&graph, &[0, 1]).is_err());
    }
}
