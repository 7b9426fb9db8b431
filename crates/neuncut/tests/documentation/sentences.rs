//! Sentences of the README and the results whose figures come from records.

use crate::figures::{PEERS, agrees, fits, mean, suite, table};
use crate::{read, root};
use neuncut::Method;
use std::collections::BTreeMap;

/// The text of a page in one line, without the marks of bold.
fn flat(page: &str) -> String {
    read(page).replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Looks for a sentence with `{}` in the place of its figures, and holds these against the record.
fn holds(page: &str, sentence: &str, values: &[f64]) {
    let text = flat(page);
    let pieces: Vec<&str> = sentence.split("{}").collect();
    assert_eq!(pieces.len(), values.len() + 1, "{sentence}");
    let Some(mut rest) = text.split_once(pieces[0]).map(|(_, rest)| rest) else {
        panic!("{page} does not say {sentence:?}")
    };
    for (piece, value) in pieces[1..].iter().zip(values) {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
        let printed = rest[..end].trim_end_matches(['.', ',']);
        agrees(&format!("{page}: {sentence}"), printed, *value);
        rest = rest[printed.len()..].strip_prefix(piece).unwrap_or_else(|| panic!("{page} does not say {sentence:?}"));
    }
}

fn says(page: &str, sentence: &str) {
    assert!(flat(page).contains(sentence), "{page} does not say {sentence:?}");
}

fn in_words(count: usize) -> &'static str {
    let words =
        ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    words.get(count).expect("a count up to twelve")
}

/// The sets of a kind that lose more than 0.02 to the best of the six peers, with the loss, the largest first.
fn losses(file: &str) -> Vec<(String, f64)> {
    let peers = table("peers");
    let best = |set: &str| {
        let row = peers.iter().find(|row| row["set"] == set).unwrap_or_else(|| panic!("no peer has {set}"));
        PEERS.iter().map(|peer| row[*peer].parse().unwrap_or(0.0)).fold(0.0, f64::max)
    };
    let mut lost: Vec<(String, f64)> =
        fits(file).into_iter().map(|(set, scores)| (set.clone(), best(&set) - scores[0])).collect();
    lost.retain(|(_, loss)| *loss > 0.02);
    lost.sort_by(|a, b| b.1.total_cmp(&a.1));
    lost
}

/// A method's accuracy and seconds of a fit in a table of `compare`.
fn compared(set: &str, method: &str) -> [f64; 2] {
    let rows = table(&format!("compare/{set}"));
    let row = rows.iter().find(|row| row["method"] == method).unwrap_or_else(|| panic!("{set}: no {method}"));
    ["accuracy", "fit_seconds"].map(|key| row[key].parse().unwrap())
}

#[test]
fn sets_that_are_lost_are_named_with_what_is_lost() {
    let list = |lost: &[(String, f64)]| {
        let named: Vec<String> = lost
            .iter()
            .map(|(set, loss)| format!("`{}` by {loss:.3}", set.split_once('-').map_or(set.as_str(), |(_, name)| name)))
            .collect();
        named.split_last().map_or(String::new(), |(last, others)| format!("{} and {last}", others.join(", ")))
    };
    let (tables, shapes) = (losses("tables"), losses("shapes"));
    let page = "docs/results/accuracy.md";
    let count = in_words(tables.len());
    says(page, &format!("to the best of the six peers on {count}: {}.", list(&tables)));
    says(page, &format!("Of the shapes on {}: {}.", in_words(shapes.len()), list(&shapes)));
    let of = fits("tables").len();
    says("README.md", &format!("The best of six peers beats neuncut by more than 0.02 on {count} of the {of} tables."));
}

#[test]
fn the_readmes_sentences_are_those_of_the_record() {
    let sets = ["embeddings", "tables", "shapes"].map(|file| fits(file).len() as f64);
    holds("README.md", "Mean accuracy on {} public sets.", &[sets.iter().sum()]);
    holds("docs/results/accuracy.md", "## The suite {} public sets of three kinds", &[sets.iter().sum()]);

    let (set, peers) = ("embedding-stackoverflow", table("peers"));
    let row = peers.iter().find(|row| row["set"] == set).unwrap();
    let [kmeans, scaled, umap] = ["kmeans", "kmeans_std", "umap_kmeans"].map(|peer| row[peer].parse().unwrap());
    let sentence = "Stack Overflow titles {} (standardised rows {}; neuncut {}). UMAP + k-means has {} there.";
    holds("README.md", sentence, &[kmeans, scaled, fits("embeddings")[set][0], umap]);

    let noise: Vec<f64> = table("hdbscan")
        .iter()
        .filter(|row| row["set"].starts_with("embedding-") && row["min_cluster_size"] == "5")
        .map(|row| 100.0 * row["noise"].parse::<f64>().unwrap())
        .collect();
    holds(
        "README.md",
        "Rows that it calls noise count as wrong above: {}% of the rows of the embeddings.",
        &[mean(&noise)],
    );
}

#[test]
fn the_readmes_digits_are_those_of_the_record() {
    let [digits, usps, mnist] = ["digits", "usps", "mnist"].map(|set| compared(set, "neuncut"));
    let [digits_plain, usps_plain, mnist_plain] = ["digits", "usps", "mnist"].map(|set| compared(set, "kmeans")[0]);
    let sentence = "Digits: {} (k-means {}); USPS {} ({}); MNIST with scattering features {} ({}), fitted in {} s.";
    let values = [digits[0], digits_plain, usps[0], usps_plain, mnist[0], mnist_plain, mnist[1]];
    holds("README.md", sentence, &values);

    let labelled: f64 = {
        let rows = table("compare/mnist");
        rows.iter().find(|row| row["method"] == "neuncut").unwrap()["predict_seconds"].parse().unwrap()
    };
    let sentence = "MNIST's {} s are the fit of 20,000 rows, without features; labels of all 70,000 take another {} s.";
    holds("docs/results/accuracy.md", sentence, &[mnist[1], labelled]);
}

#[test]
fn the_readme_counts_the_methods() {
    let ours = ["neuncut", "neurcut", "ensemble"];
    let others = Method::NAMES.iter().filter(|name| !ours.contains(name)).count();
    holds("README.md", "behind the same files, {} of them", &[others as f64]);
}

#[test]
fn pages_link_to_the_record_that_they_show() {
    let (suite, page) = (suite(), read("docs/results/accuracy.md"));
    assert!(page.contains(&suite), "docs/results/accuracy.md must link to {suite}, the newest record");
    assert!(root().join(&suite).join("README.md").exists(), "{suite}/README.md must say how it was made");
}

/// Accuracy and its deviation by set and affinity, from the runs of an experiment.
fn runs(experiment: &str) -> BTreeMap<(String, String), [f64; 2]> {
    let folder = crate::newest("experiments/runs", &format!("{experiment}.jsonl"));
    let mut found: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for line in read(&format!("{folder}/{experiment}.jsonl")).lines() {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| run[key].as_str().unwrap().to_owned();
        found.entry((text("set"), text("row"))).or_default().push(run["score"]["accuracy"].as_f64().unwrap());
    }
    let summed = |values: &Vec<f64>| {
        let centre = mean(values);
        let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
        [centre, (squares / (values.len() - 1) as f64).sqrt()]
    };
    found.iter().map(|(key, values)| (key.clone(), summed(values))).collect()
}

#[test]
fn affinities_are_those_of_the_record() {
    let record = runs("affinities");
    for (name, row) in [
        ("heat", "heat"),
        ("self-expressive", "self-expressive"),
        ("siamese", "siamese"),
        ("senet, small", "senet (small)"),
    ] {
        let cells = crate::figures::row("docs/results/paper.md", &[name]);
        for (set, cell) in [("mnist", &cells[1]), ("fashion-mnist", &cells[3])] {
            let [accuracy, deviation] = record[&(set.to_owned(), row.to_owned())];
            let (shown, around) = cell.split_once(" ± ").unwrap();
            agrees(name, shown, accuracy);
            agrees(name, around, deviation);
        }
    }
}
