//! `neuncut rename`: names of clusters from a table that a person has edited.

use crate::args::{RenameArgs, Talk};
use crate::plan::check_outputs;
use crate::speech;
use neuncut::data::read_labels;
use neuncut::methods::Model;
use neuncut::{Error, Result};
use std::path::Path;

pub fn run(args: RenameArgs, talk: Talk) -> Result<()> {
    let output = args.output.as_ref().unwrap_or(&args.model);
    check_outputs(&[("output", Some(&*output.to_string_lossy()))], std::slice::from_ref(&args.names))?;
    let mut model = Model::load(&args.model)?;
    let clusters = read_labels(&args.names, Some("cluster"))?;
    let given = read_labels(&args.names, Some("name")).map_err(|error| without_name(error.into(), &args.names))?;
    let k = model.n_clusters();
    let mut names: Vec<String> = match model.names() {
        [] => (0..k).map(|cluster| cluster.to_string()).collect(),
        names => names.to_vec(),
    };
    let mut seen = vec![false; k];
    for (cluster, name) in clusters.iter().zip(given) {
        let Some(number) = cluster.parse::<usize>().ok().filter(|&number| number < k) else {
            let problem = format!("there is no cluster {cluster}: the clusters of the model are 0 to {}", k - 1);
            return Err(Error::data(&args.names, problem));
        };
        if std::mem::replace(&mut seen[number], true) {
            return Err(Error::data(&args.names, format!("cluster {number} has two names: give it one")));
        }
        if let Some(place) = names.get_mut(number) {
            *place = name.trim().to_owned();
        }
    }
    // names that stand in the place of labels go on to do so
    check_names(&args.names, &names)?;
    match model.record.has_given_names() {
        true => model.record.cluster_names = names,
        false => {
            model.record.cluster_titles = names;
            model.record.titles_by_person = true;
        }
    }
    model.save(output)?;
    let count = seen.iter().filter(|seen| **seen).count();
    speech::remark(talk, format_args!("{count} of {k} clusters named; model written to {}", output.display()));
    Ok(())
}

/// What is wrong with a name that is empty, in the words of this command.
fn without_name(error: Error, path: &Path) -> Error {
    match error.to_string().split_once(" has no label") {
        Some((line, _)) if line.contains("line ") => {
            let line = line.rsplit(": ").next().unwrap_or(line);
            Error::data(path, format!("{line} has no name: give one, or leave the line out"))
        }
        _ => error,
    }
}

/// Refuses one name for two clusters.
fn check_names(path: &Path, names: &[String]) -> Result<()> {
    for (cluster, name) in names.iter().enumerate() {
        if let Some(other) = names[..cluster].iter().position(|other| other == name) {
            let problem = format!(
                "clusters {other} and {cluster} are both called {name}: give each a name of its own, or make them one with `neuncut edit \
                 --merge {other},{cluster}`"
            );
            return Err(Error::data(path, problem));
        }
    }
    Ok(())
}
