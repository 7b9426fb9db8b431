//! Words that set clusters apart, by class-based tf-idf (Grootendorst, 2022): a word counts for a cluster by the share of the cluster's rows
//! that hold it, and by how rare it is over all.
//!
//! There is no list of stop words: a word that is about as frequent as elsewhere in most clusters says nothing about any of them, in
//! whatever language it is.

use super::tokens;
use std::collections::{HashMap, HashSet};

/// Words that are kept of each cluster.
const KEPT: usize = 10;
/// Words of a name at most.
const IN_NAME: usize = 3;
/// A word is in a name only if it counts at least so much beside the first.
const OF_FIRST: f64 = 0.3;
/// A cluster is at home with a word if it holds it at least at this share of its rate over all.
const AT_HOME: f64 = 0.5;
/// Words that are at home in more than this share of the clusters are left out.
const STOP_SHARE: f64 = 2.0 / 3.0;
/// Rows of a cluster that must hold a word, and the size from which on it is the larger number.
const LEAST_ROWS: (u32, u32) = (2, 3);
const LARGE: u32 = 30;

/// What clusters of texts are about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterWords {
    /// The words of each cluster, the most telling first; none where no text was in it.
    pub words: Vec<Vec<String>>,
    /// A name for each cluster, all different: a few of its words in the order in which texts have them, or its number.
    pub names: Vec<String>,
}

/// How often a word is in a cluster.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    /// Rows that hold it.
    rows: u32,
    /// The sum of the places where it comes first in a row.
    places: u64,
}

/// Finds the words of `k` clusters from the rows' texts and labels. Labels of `k` and above are passed over.
pub fn cluster_words<'a>(rows: impl IntoIterator<Item = (&'a str, u32)>, k: usize) -> ClusterWords {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut counts: Vec<HashMap<u32, Count>> = vec![HashMap::new(); k];
    let mut sizes = vec![0_u32; k];
    for (text, label) in rows {
        let Some(counts) = counts.get_mut(label as usize) else { continue };
        sizes[label as usize] += 1;
        let mut seen = HashSet::new();
        for (place, word) in tokens(text).into_iter().enumerate() {
            let next = numbers.len() as u32;
            let number = *numbers.entry(word).or_insert(next);
            if seen.insert(number) {
                let count = counts.entry(number).or_default();
                count.rows += 1;
                count.places += place as u64;
            }
        }
    }
    let mut vocabulary = vec![String::new(); numbers.len()];
    numbers.into_iter().for_each(|(word, number)| vocabulary[number as usize] = word);
    let found = Found { vocabulary, counts, sizes };
    let ranked = found.ranked();
    let names = found.names(&ranked);
    let word = |&(number, _): &(u32, f64)| found.vocabulary[number as usize].clone();
    let words = ranked.iter().map(|cluster| cluster.iter().take(KEPT).map(word).collect()).collect();
    ClusterWords { words, names }
}

/// What was counted.
struct Found {
    vocabulary: Vec<String>,
    counts: Vec<HashMap<u32, Count>>,
    sizes: Vec<u32>,
}

impl Found {
    /// The words of each cluster and how much they count, most first; equals go by the alphabet.
    fn ranked(&self) -> Vec<Vec<(u32, f64)>> {
        let mut totals = vec![0_u64; self.vocabulary.len()];
        for (number, count) in self.counts.iter().flatten() {
            totals[*number as usize] += u64::from(count.rows);
        }
        let rows = self.sizes.iter().map(|&size| f64::from(size)).sum::<f64>().max(1.0);
        let in_use = self.sizes.iter().filter(|&&size| size > 0).count();
        let rate = |cluster: usize, count: &Count| f64::from(count.rows) / f64::from(self.sizes[cluster].max(1));
        let mut homes = vec![0_usize; self.vocabulary.len()];
        for (cluster, counts) in self.counts.iter().enumerate() {
            for (&number, count) in counts {
                let over_all = totals[number as usize] as f64 / rows;
                homes[number as usize] += usize::from(rate(cluster, count) >= AT_HOME * over_all);
            }
        }
        let is_stop = |number: u32| in_use > 1 && homes[number as usize] as f64 > STOP_SHARE * in_use as f64;
        // words in a cluster on average, as in the original
        let average = totals.iter().sum::<u64>() as f64 / in_use.max(1) as f64;
        let score = |cluster: usize, number: u32, count: &Count| {
            rate(cluster, count) * (1.0 + average / totals[number as usize].max(1) as f64).ln()
        };
        let ranked = |(cluster, counts): (usize, &HashMap<u32, Count>)| {
            let least = if self.sizes[cluster] < LARGE { LEAST_ROWS.0 } else { LEAST_ROWS.1 };
            let enough = |count: &Count| count.rows >= least.min(self.sizes[cluster]);
            let words = counts.iter().filter(|(number, count)| enough(count) && !is_stop(**number));
            let mut words: Vec<(u32, f64)> =
                words.map(|(&number, count)| (number, score(cluster, number, count))).collect();
            let word = |number: u32| &self.vocabulary[number as usize];
            words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| word(a.0).cmp(word(b.0))));
            words
        };
        self.counts.iter().enumerate().map(ranked).collect()
    }

    /// Names of all clusters. Where two would be called the same, the later one gets further words, or its number.
    fn names(&self, ranked: &[Vec<(u32, f64)>]) -> Vec<String> {
        let mut taken = HashSet::new();
        let mut names = Vec::new();
        for (cluster, words) in ranked.iter().enumerate() {
            let candidates = (0..IN_NAME).map(|more| self.name(cluster, words, more));
            let free = candidates.into_iter().find(|name| !name.is_empty() && !taken.contains(name));
            let numbered = || format!("{} {cluster}", self.name(cluster, words, 0)).trim().to_owned();
            let name = free.unwrap_or_else(numbered);
            taken.insert(name.clone());
            names.push(name);
        }
        names
    }

    /// A few words in the order in which the cluster's texts have them, and so many more.
    fn name(&self, cluster: usize, words: &[(u32, f64)], more: usize) -> String {
        let mut chosen: Vec<u32> = Vec::new();
        let first = words.first().map_or(0.0, |word| word.1);
        for &(number, score) in words.iter().take(2 * KEPT) {
            let full = chosen.len() >= IN_NAME + more;
            if full || (score < OF_FIRST * first && (more == 0 || chosen.len() > IN_NAME)) {
                break;
            }
            let word = &self.vocabulary[number as usize];
            if !chosen.iter().any(|&other| is_variant(word, &self.vocabulary[other as usize])) {
                chosen.push(number);
            }
        }
        let place = |number: &u32| {
            let count = self.counts[cluster].get(number).copied().unwrap_or_default();
            count.places as f64 / f64::from(count.rows.max(1))
        };
        chosen.sort_by(|a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
        chosen.iter().map(|&number| &*self.vocabulary[number as usize]).collect::<Vec<_>>().join(" ")
    }
}

/// Whether two words are forms of one: one is the other with a short ending.
fn is_variant(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let stem: String = short.chars().take(short.chars().count().saturating_sub(1).max(3)).collect();
    short.chars().count() >= 3 && long.starts_with(&stem) && long.chars().count() - stem.chars().count() <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [(&str, u32); 9] = [
        ("please raise my credit limit", 0),
        ("can you raise the credit limit", 0),
        ("i want the credit limit of my cards raised", 0),
        ("please play my jazz songs", 1),
        ("can you play the jazz song", 1),
        ("i want the jazz song of my list", 1),
        ("please order my pizza", 2),
        ("can you order the pizza", 2),
        ("i want the best of my pizzas, a pizza order", 2),
    ];

    #[test]
    fn words_tell_clusters_apart_and_names_follow_the_texts() {
        let found = cluster_words(ROWS, 4);
        assert_eq!(found.words[0][..2], ["credit", "limit"]);
        assert!(found.words.iter().flatten().all(|word| !["the", "my", "please", "can", "you"].contains(&&**word)));
        assert_eq!(found.names, ["raise credit limit", "play jazz song", "order pizza", "3"]);
        assert!(found.words[3].is_empty());
    }

    #[test]
    fn names_are_different_and_do_not_depend_on_the_order_of_rows() {
        let twice: Vec<(&str, u32)> =
            ROWS.iter().flat_map(|&(text, label)| [(text, label), (text, label + 3)]).collect();
        let found = cluster_words(twice.iter().copied(), 6);
        assert_eq!(found.names.iter().collect::<HashSet<_>>().len(), 6, "{:?}", found.names);
        let turned = cluster_words(twice.iter().rev().copied(), 6);
        assert_eq!((turned.words, turned.names), (found.words, found.names));
    }

    #[test]
    fn nothing_to_say() {
        let found = cluster_words([("", 0), ("12 3", 1), ("word", 9)], 2);
        assert_eq!(found, ClusterWords { words: vec![vec![], vec![]], names: vec!["0".into(), "1".into()] });
        assert_eq!(cluster_words([("a word alone", 0)], 1).names, ["word alone"]);
        assert_eq!(cluster_words([], 0), ClusterWords::default());
    }

    #[test]
    fn forms_of_one_word() {
        assert!(is_variant("card", "cards") && is_variant("raised", "raise") && is_variant("play", "playing"));
        assert!(is_variant("country", "countries"));
        assert!(!is_variant("car", "credit") && !is_variant("pin", "pineapple") && !is_variant("my", "mystery"));
    }
}
