//! Connected components of a graph.

use super::Csr;

/// Which component each node belongs to, and how large the components are; component 0 holds node 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// Component of each node.
    pub of_node: Vec<u32>,
    /// Nodes in each component.
    pub sizes: Vec<usize>,
}

impl Components {
    /// How many components there are.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }
}

/// Finds the connected components by depth-first search.
pub fn connected_components(graph: &Csr) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let mut of_node = vec![UNSEEN; graph.len()];
    let mut sizes = Vec::new();
    let mut stack = Vec::new();
    for root in 0..graph.len() {
        if of_node[root] != UNSEEN {
            continue;
        }
        let component = sizes.len() as u32;
        of_node[root] = component;
        stack.push(root);
        let mut size = 0;
        while let Some(node) = stack.pop() {
            size += 1;
            for (neighbor, _) in graph.neighbors(node) {
                if of_node[neighbor] == UNSEEN {
                    of_node[neighbor] = component;
                    stack.push(neighbor);
                }
            }
        }
        sizes.push(size);
    }
    Components { of_node, sizes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_chains_and_a_loner() {
        let graph = Csr::symmetrized(6, [(0, 2, 1.0), (2, 4, 1.0), (1, 3, 1.0)].into_iter());
        let found = connected_components(&graph);
        assert_eq!(found.of_node, [0, 1, 0, 1, 0, 2]);
        assert_eq!(found.sizes, [3, 2, 1]);
    }
}
