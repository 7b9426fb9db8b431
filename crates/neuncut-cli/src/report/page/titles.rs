//! What clusters are called on the page, alone and together, and their words.

use super::nesting::Node;
use neuncut::methods::{Model, joined};

/// Words of a cluster, at most.
const WORDS: usize = 10;
/// Numbers of clusters without names that are listed.
const NUMBERS: usize = 4;

/// The name of a cluster, or its number; several are called as the largest two, and how many there are beside them.
pub fn name(model: &Model, node: &Node, sizes: &[usize]) -> String {
    let names = model.names();
    let mut members = node.members.clone();
    members.sort_by(|&a, &b| sizes[b].cmp(&sizes[a]).then(a.cmp(&b)));
    match joined(&members.iter().filter_map(|&cluster| names.get(cluster).map(String::as_str)).collect::<Vec<_>>()) {
        Some(name) => name,
        None => {
            let listed: Vec<String> = node.members.iter().take(NUMBERS).map(usize::to_string).collect();
            let left_out = node.members.len().saturating_sub(NUMBERS);
            listed.join(", ") + &if left_out > 0 { format!(" +{left_out}") } else { String::new() }
        }
    }
}

/// The words of a cluster; of several those that are high in the lists of many rows.
pub fn words(model: &Model, node: &Node, sizes: &[usize]) -> Vec<String> {
    let mut marks: Vec<(&str, f64)> = Vec::new();
    for &cluster in &node.members {
        let words = model.record.cluster_words.get(cluster).map_or(&[][..], Vec::as_slice);
        for (place, word) in words.iter().enumerate() {
            let mark = sizes[cluster] as f64 / (1.0 + place as f64);
            match marks.iter_mut().find(|(known, _)| known == word) {
                Some((_, sum)) => *sum += mark,
                None => marks.push((word, mark)),
            }
        }
    }
    marks.sort_by(|a, b| b.1.total_cmp(&a.1)); // equals stay in their order
    marks.into_iter().take(WORDS).map(|(word, _)| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use neuncut::job::Job;
    use neuncut::methods::{Config, KMeansOptions, Method};

    #[test]
    fn several_clusters_share_a_name_and_words() {
        let rows = Array2::from_shape_fn((30, 2), |(i, j)| (i % 3 * 10 + j + i / 3) as f32);
        let config = Config::of(Method::KMeans(KMeansOptions::default()), 3);
        let mut model = Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap();
        let node = |members: &[usize]| Node { members: members.to_vec(), parts: None, from: 1, to: 1 };
        let sizes = [5, 9, 7];
        assert_eq!(name(&model, &node(&[2]), &sizes), "2");
        assert_eq!(name(&model, &node(&[0, 1, 2]), &sizes), "0, 1, 2");
        assert!(words(&model, &node(&[0]), &sizes).is_empty());
        model.record.cluster_titles = ["credit limit", "credit card", "jazz"].map(str::to_owned).to_vec();
        let lists = [["limit", "credit"], ["card", "credit"], ["jazz", "song"]];
        model.record.cluster_words = lists.map(|list| list.map(str::to_owned).to_vec()).to_vec();
        assert_eq!(name(&model, &node(&[0, 1]), &sizes), "credit card, credit limit");
        assert_eq!(words(&model, &node(&[0, 1]), &sizes), ["card", "credit", "limit"]);
        assert_eq!(words(&model, &node(&[2]), &sizes), ["jazz", "song"]);
    }
}
