//! The tree of a model's clusters, printed.

use neuncut::methods::Model;
use neuncut::{Error, Result};
use std::fmt::Write;

/// A node: a cluster, or two nodes and the level from which on they are one.
enum Node {
    Cluster(usize),
    Pair(Box<Node>, Box<Node>, usize),
}

/// Every cluster under the pairs that it is part of, the last merge first.
pub fn of(model: &Model) -> Result<String> {
    let k = model.n_clusters();
    let merges = &model.record.merges;
    if merges.len() + 1 != k {
        let must = "left out: fit the model again for a tree of its clusters";
        return Err(Error::config("tree", "asked of a model without one", must));
    }
    let mut nodes: Vec<Option<Node>> = (0..k).map(|cluster| Some(Node::Cluster(cluster))).collect();
    for (at, &(a, b)) in merges.iter().enumerate() {
        let (Some(first), Some(second)) = (take(&mut nodes, a), take(&mut nodes, b)) else {
            let must = "left out: the tree in this model is damaged";
            return Err(Error::config("tree", "asked of a damaged model", must));
        };
        nodes[a as usize] = Some(Node::Pair(Box::new(first), Box::new(second), k - 1 - at));
    }
    let mut text = String::new();
    for root in nodes.into_iter().flatten() {
        print(model, &root, 0, &mut text);
    }
    Ok(text)
}

fn take(nodes: &mut [Option<Node>], at: u32) -> Option<Node> {
    nodes.get_mut(at as usize).and_then(Option::take)
}

/// Appends a node and those below it; gives nothing back.
fn print(model: &Model, node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let share = 100.0 * share(model, node);
    match node {
        Node::Cluster(cluster) => {
            let name = model.names().get(*cluster).filter(|name| **name != cluster.to_string());
            let name = name.map_or(String::new(), |name| format!(" {name}"));
            let _ = writeln!(text, "{indent}{cluster}{name} ({share:.1}%)");
        }
        Node::Pair(first, second, level) => {
            let _ = writeln!(text, "{indent}level {level}: {} clusters ({share:.1}%)", clusters(node));
            print(model, first, depth + 1, text);
            print(model, second, depth + 1, text);
        }
    }
}

fn clusters(node: &Node) -> usize {
    match node {
        Node::Cluster(_) => 1,
        Node::Pair(first, second, _) => clusters(first) + clusters(second),
    }
}

fn share(model: &Model, node: &Node) -> f64 {
    match node {
        Node::Cluster(cluster) => model.record.share(*cluster),
        Node::Pair(first, second, _) => share(model, first) + share(model, second),
    }
}
