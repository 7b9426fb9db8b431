//! Named warnings: what a user should know about the data or the fit, each with a remedy.

use super::{AffinityKind, Diagnostics, NeuralCutOptions, StartFindings};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Landmarks that repeat others, as a share, from which it is reported.
const MANY_DUPLICATES: f64 = 0.2;
/// Share of the variance in one column from which it is reported.
const DOMINANT: f64 = 0.99;
/// Clusters do not stand out where the next eigenvector is about as good as the k-th and the k-th itself is poor.
const NO_GAP: f64 = 1.25;
const POOR: f64 = 0.1;
/// Nor do they where they cost so many times what the spectrum asks for one more: eigenvectors are then smooth, and no cut comes near.
const LOOSE: f64 = 1.75;
/// The best partitions disagree where no two have an adjusted Rand index above this.
const DISAGREEMENT: f64 = 0.5;
/// More clusters would stand out where the graph's own communities are more, and their modularity is this many times that of the clusters
/// asked for; two or three clusters of anything have a lower modularity than more, and say nothing.
const MORE_STAND_OUT: f64 = 1.1;
const FEWEST_JUDGED: usize = 4;
/// A cluster is a giant where it has this many times the rows of the mean cluster.
const GIANT: f64 = 5.0;
/// k-means is as good where its partition has at least this adjusted Rand index with the one that was chosen.
const AS_GOOD: f64 = 0.9;
/// Agreement of the network with the labels it started from below which it is reported.
const NOT_LEARNED: f64 = 0.9;

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind it is, such as `many-duplicates`.
    pub name: String,
    /// One sentence with a remedy.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} [{}]", self.text, self.name)
    }
}

impl Warning {
    /// That a column has this share of the variance; none where it has not nearly all of it.
    pub(crate) fn dominant_column(column: impl fmt::Display, share: f64) -> Option<Self> {
        let text = format!(
            "column {column} has {:.1}% of the variance, so that distances of unscaled rows see little else: scale the columns (--features standardize) or leave it out (--exclude {column})",
            100.0 * share
        );
        (share > DOMINANT).then(|| Self { name: "dominant-column".into(), text })
    }
}

/// What there is to say about a fit with these findings.
pub(super) fn warnings(found: &Diagnostics, options: &NeuralCutOptions, k: usize, largest_share: f64) -> Vec<Warning> {
    let mut all = Vec::new();
    let mut say = |name: &str, text: String| all.push(Warning { name: name.into(), text });
    if let Some(start) = &found.start {
        if start.large_pieces > k {
            let pieces = start.large_pieces;
            let remedy = match options.affinity.affinity {
                AffinityKind::Graph(_) => "edges that join them",
                _ => "more --neighbors",
            };
            say(
                "more-pieces-than-clusters",
                format!(
                    "the graph falls apart into {pieces} pieces, more than the {k} clusters asked for: try -k {pieces}, or {remedy}"
                ),
            );
        }
        let remedy = "the data may have another number of clusters, or none; compare other -k";
        let spectrum = start.eigengap > 0.0 && start.distinct_rows > 2 * k; // few different rows have no next eigenvalue
        if spectrum && start.eigengap < NO_GAP && start.next_eigenvalue < 1.0 - POOR {
            say("no-eigengap", format!("{k} clusters do not stand out (no gap after eigenvalue {k}): {remedy}"));
        } else if let Some(times) = looseness(found, start, k).filter(|&times| times > LOOSE)
            && spectrum
            && start.components <= k
        {
            say(
                "no-eigengap",
                format!(
                    "{k} clusters run into one another (a cut {times:.1} times what the spectrum predicts): {remedy}"
                ),
            );
        }
        let more =
            start.natural_communities.filter(|own| own.count > k && own.gain >= MORE_STAND_OUT && k >= FEWEST_JUDGED);
        if let Some(own) = more {
            say(
                "more-clusters-stand-out",
                format!(
                    "neighbours fall into about {} groups by themselves, whose modularity is {:.2} times that of {k} clusters: try -k {}",
                    own.count, own.gain, own.count
                ),
            );
        }
        if start.candidates.len() > 1 && start.agreement < DISAGREEMENT {
            say(
                "candidates-disagree",
                format!(
                    "no two of the best partitions agree (adjusted Rand index at most {:.2}): the data may have no {k} clusters, or several ways to see them; compare other -k and --seed",
                    start.agreement
                ),
            );
        }
    }
    let by_information = found.objective == "mutual information";
    if by_information && k > 2 && largest_share * k as f64 >= GIANT {
        say(
            "giant-cluster",
            format!(
                "one cluster has {:.0}% of the rows, {:.1} times the mean: look at what it holds, or ask for more clusters with -k",
                100.0 * largest_share,
                largest_share * k as f64
            ),
        );
    }
    if let Some(start) = &found.start {
        if let Some(agreement) = start.k_means_agreement.filter(|&agreement| by_information && agreement >= AS_GOOD) {
            say(
                "k-means-as-good",
                format!(
                    "k-means finds nearly the same clusters (adjusted Rand index {agreement:.2}): --method kmeans is faster and would do"
                ),
            );
        }
        let repeats = found.landmarks.saturating_sub(start.distinct_rows);
        if repeats as f64 >= MANY_DUPLICATES * found.landmarks as f64 && repeats > 0 {
            say(
                "many-duplicates",
                format!(
                    "{repeats} of {} landmark rows repeat others and count once in the start: check that this is meant, or take repeats out",
                    found.landmarks
                ),
            );
        }
    }
    if let Some(warning) = found.dominant_column.and_then(|(column, share)| Warning::dominant_column(column, share)) {
        say(&warning.name, warning.text);
    }
    if let Some(start) = found.start.as_ref().filter(|start| start.unconverged > 0) {
        say(
            "eigenvectors-not-converged",
            format!(
                "{} eigenproblems of the start met their bound on work first: try fewer --landmarks, or --init overcluster",
                start.unconverged
            ),
        );
    }
    if let Some(agreement) = found.warm_agreement.filter(|&agreement| agreement < NOT_LEARNED) {
        say(
            "start-not-learned",
            format!(
                "the network agrees with only {:.1}% of the labels it started from: try a wider --hidden, or more --train-rows",
                100.0 * agreement
            ),
        );
    }
    if found.live_clusters < k {
        say(
            "dead-clusters",
            format!(
                "only {} of {k} clusters are used: the data may not have {k}; ask for fewer with -k, or try another --seed or a larger --gamma",
                found.live_clusters
            ),
        );
    }
    all
}

/// The cut of a cluster over what one more cluster would cost: below one where eigenvectors are steps from cluster to cluster.
fn looseness(found: &Diagnostics, start: &StartFindings, k: usize) -> Option<f64> {
    let (before, after) = found.cuts()?;
    Some(before.min(after) / k as f64 / (1.0 - start.next_eigenvalue))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::{Candidate, NaturalCommunities};

    #[test]
    fn each_has_its_name_and_a_sound_fit_has_none() {
        let sound = Diagnostics {
            landmarks: 100,
            start: Some(StartFindings::of_sound_fit()),
            ncut_start: Some(0.4),
            ncut_end: Some(0.4),
            warm_agreement: Some(1.0),
            live_clusters: 3,
            dominant_column: Some((1, 0.6)),
            ..Default::default()
        };
        let options = NeuralCutOptions::default();
        assert_eq!(warnings(&sound, &options, 3, 0.4), []);
        let smooth = Diagnostics { ncut_start: Some(0.6), ncut_end: Some(0.55), ..sound.clone() };
        let said = warnings(&smooth, &options, 3, 0.4);
        assert_eq!(said.iter().map(|warning| warning.name.as_str()).collect::<Vec<_>>(), ["no-eigengap"]);
        assert!(said[0].text.contains("1.8 times"), "{}", said[0]);
        let start = StartFindings {
            large_pieces: 4,
            eigengap: 1.0,
            next_eigenvalue: 0.1,
            distinct_rows: 70,
            unconverged: 1,
            ..StartFindings::of_sound_fit()
        };
        let broken = Diagnostics {
            start: Some(start),
            dominant_column: Some((2, 0.999)),
            warm_agreement: Some(0.5),
            live_clusters: 2,
            ..sound
        };
        let said = warnings(&broken, &options, 3, 0.4);
        let names: Vec<&str> = said.iter().map(|warning| warning.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "more-pieces-than-clusters",
                "no-eigengap",
                "many-duplicates",
                "dominant-column",
                "eigenvectors-not-converged",
                "start-not-learned",
                "dead-clusters"
            ]
        );
        assert!(said[2].to_string().starts_with("30 of 100 landmark rows"), "{}", said[2]);
    }

    #[test]
    fn giants_disagreement_and_plain_k_means_are_reported() {
        let candidate = |method: &str, score| Candidate { representation: "raw".into(), method: method.into(), score };
        // no spectrum to judge, and no repeats
        let start = StartFindings { eigengap: 0.0, ..StartFindings::of_sound_fit() };
        let of = |start: StartFindings| Diagnostics { start: Some(start), live_clusters: 8, ..Default::default() };
        let disagreeing = StartFindings {
            agreement: 0.4,
            k_means_agreement: Some(0.95),
            candidates: vec![candidate("10 neighbours, Leiden", -2.0), candidate("k-means", -1.99)],
            ..start.clone()
        };
        let by_information = |start| Diagnostics { objective: "mutual information".into(), ..of(start) };
        let found = by_information(disagreeing.clone());
        let names = |found: &Diagnostics, share| -> Vec<String> {
            warnings(found, &NeuralCutOptions::default(), 8, share).into_iter().map(|warning| warning.name).collect()
        };
        assert_eq!(names(&found, 0.7), ["candidates-disagree", "giant-cluster", "k-means-as-good"]);
        let own = |count, gain| {
            of(StartFindings { natural_communities: Some(NaturalCommunities { count, gain }), ..start.clone() })
        };
        assert_eq!(names(&own(16, 1.2), 0.2), ["more-clusters-stand-out"]);
        assert!(names(&own(16, 1.05), 0.2).is_empty() && names(&own(5, 1.2), 0.2).is_empty());
        let clear = by_information(StartFindings { agreement: 0.9, k_means_agreement: Some(0.8), ..disagreeing });
        assert!(names(&clear, 0.3).is_empty());
    }
}
