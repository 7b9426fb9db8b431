//! Numbers of clusters by a mark that each of them has: the best, and the best that are not next to one that is better.

/// Numbers within this factor of one another say about the same.
const APART: f64 = 1.25;

/// Up to `count` numbers by their marks, the highest first and the smaller of equals, none within a factor of 1.25 of one before it. Marks that
/// are not finite are left out.
pub fn peaks(marks: impl IntoIterator<Item = (usize, f64)>, count: usize) -> Vec<usize> {
    let mut marks: Vec<(usize, f64)> = marks.into_iter().filter(|(_, mark)| mark.is_finite()).collect();
    marks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut found: Vec<usize> = Vec::new();
    for (k, _) in marks {
        let is_apart = |&other: &usize| k.max(other) as f64 > APART * k.min(other) as f64;
        if found.len() < count && found.iter().all(is_apart) {
            found.push(k);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_a_peak_are_no_peaks() {
        let marks = [(2, 0.1), (9, 0.7), (10, 0.9), (11, 0.8), (20, 0.3), (22, f64::NAN), (30, 0.3)];
        assert_eq!(peaks(marks, 3), [10, 20, 30]);
        assert_eq!(peaks([(2, 0.5), (3, 0.4), (4, 0.6)], 2), [4, 2], "two and three are far apart");
        assert!(peaks([], 3).is_empty());
    }
}
