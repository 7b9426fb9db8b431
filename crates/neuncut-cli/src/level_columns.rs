//! The columns of labels that `predict` writes: what clusters are called, and the groups that they are in at coarser levels.

use neuncut::Result;
use neuncut::data::writers::{ClusterColumn, ClusterValues, Labels};
use neuncut::methods::{Level, Model};

/// The column of the names of clusters.
const CLUSTER_NAME: &str = "cluster_name";

/// What labels are called, with their names beside them where `names` says so, and a column for each of some `levels`. `level` is the one
/// that takes the place of the clusters.
pub fn result_labels(names: bool, levels: &[usize], model: &Model, level: Option<&Level>) -> Result<Labels> {
    let record = &model.record;
    let given: &[String] = if record.has_given_names() { &record.cluster_names } else { &[] };
    let clusters = model.level(model.n_clusters())?;
    let shown = level.unwrap_or(&clusters);
    // clusters that were given as whole numbers are written as these, groups of them by their own
    let numbers = record.given_numbers().filter(|_| level.is_none());
    let numbers = numbers.unwrap_or_else(|| (0..shown.count as i32).collect());
    let mut beside = Vec::new();
    if names {
        let texts = numbers.iter().copied().zip(shown.names(model.names(), record)).collect();
        beside.push(ClusterColumn { name: CLUSTER_NAME.into(), values: ClusterValues::Texts(texts) });
    }
    for &count in levels {
        let level = model.level(count)?;
        let texts = |names: &[String]| {
            let names = level.names(names, record);
            let name = |&group: &u32| names[group as usize].clone();
            ClusterValues::Texts(numbers.iter().copied().zip(level.group.iter().map(name)).collect())
        };
        let labels = match given {
            [] => {
                let groups = level.group.iter().map(|&group| group as i32);
                ClusterValues::Numbers(numbers.iter().copied().zip(groups).collect())
            }
            given => texts(given),
        };
        beside.push(ClusterColumn { name: format!("label_{count}"), values: labels });
        if names {
            beside.push(ClusterColumn { name: format!("{CLUSTER_NAME}_{count}"), values: texts(model.names()) });
        }
    }
    Ok(Labels { names: shown.names(given, record), beside, ..Labels::default() })
}
