//! Graphs that fall apart: pieces too small to be clusters are set aside, the others are joined by weak links.

use crate::graph::knn::nearest_in;
use crate::graph::{Components, Csr, connected_components};
use crate::vector;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

/// The weight of a link between pieces whose distance is that of neighbours.
const LINK_WEIGHT: f32 = 0.1;
/// Up to this many pieces the closest rows of two are looked for.
const EXACT_PIECES: usize = 50;

/// The large pieces of a graph, joined; and where the rows of the small ones belong.
pub(crate) struct Pieces {
    /// The connected graph over the main rows.
    pub graph: Csr,
    /// Main rows, ascending.
    main: Vec<usize>,
    /// For each row of the whole, the place in `main` of itself or of its nearest main row.
    place: Vec<usize>,
}

impl Pieces {
    /// Sets aside pieces below a share of the mean of `k` clusters and joins the others by the edges of their minimum spanning tree.
    pub fn joined(graph: &Csr, rows: ArrayView2<f32>, scales: &Array1<f32>, k: usize, small: f64) -> Self {
        let components = connected_components(graph);
        let large = large_components(&components, k, small);
        let is_main = |i: usize| large[components.of_node[i] as usize];
        let (main, rest): (Vec<usize>, Vec<usize>) = (0..graph.len()).partition(|&i| is_main(i));
        let mut place = vec![0; graph.len()];
        main.iter().enumerate().for_each(|(m, &i)| place[i] = m);
        let main_rows = rows.select(Axis(0), &main);
        if !rest.is_empty() {
            let nearest = nearest_in(rows.select(Axis(0), &rest).view(), main_rows.view(), 1);
            rest.iter().zip(nearest.indices.column(0)).for_each(|(&i, &m)| place[i] = m as usize);
        }
        let mut piece: Vec<u32> = main.iter().map(|&i| components.of_node[i]).collect();
        let scale: Vec<f32> = main.iter().map(|&i| scales[i]).collect();
        let links = spanning_links(main_rows.view(), &mut piece, &scale);
        let inner = main.iter().enumerate().flat_map(|(m, &i)| {
            let place = &place;
            graph.neighbors(i).map(move |(j, w)| (m as u32, place[j] as u32, w))
        });
        // each stored edge comes from both of its ends, as half of its weight each time
        let joined = Csr::symmetrized(main.len(), inner.chain(links.into_iter().map(|(i, j, w)| (i, j, 2.0 * w))));
        let loops = graph.loops();
        let graph = joined.with_loops(&main.iter().map(|&i| loops[i]).collect::<Vec<_>>());
        Self { graph, main, place }
    }

    /// Rows that are in the graph, ascending.
    pub fn main(&self) -> &[usize] {
        &self.main
    }

    /// Labels of all rows from those of the main rows.
    pub fn spread(&self, labels: &[u32]) -> Vec<u32> {
        debug_assert_eq!(labels.len(), self.main.len());
        self.place.iter().map(|&m| labels[m]).collect()
    }

    /// How many pieces are large enough to be clusters, and how many rows are in the others.
    pub fn count(components: &Components, k: usize, small: f64) -> (usize, usize) {
        let large = large_components(components, k, small);
        let stray = components.sizes.iter().zip(&large).filter(|(_, large)| !**large).map(|(size, _)| size).sum();
        (large.iter().filter(|large| **large).count(), stray)
    }
}

fn large_components(components: &Components, k: usize, small: f64) -> Vec<bool> {
    let n: usize = components.sizes.iter().sum();
    let least = (small * n as f64 / k as f64).max(2.0);
    let mut large: Vec<bool> = components.sizes.iter().map(|&size| size as f64 >= least).collect();
    if !large.contains(&true) {
        let biggest = (0..large.len()).max_by_key(|&c| components.sizes[c]).expect("a graph has a piece");
        large[biggest] = true;
    }
    // k clusters need more rows than clusters: take further pieces, the largest first, until there are enough
    let mut order: Vec<usize> = (0..large.len()).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(components.sizes[c]));
    let mut rows: usize = components.sizes.iter().zip(&large).filter(|(_, l)| **l).map(|(size, _)| size).sum();
    for c in order {
        if rows > 2 * k {
            break;
        }
        if !large[c] {
            large[c] = true;
            rows += components.sizes[c];
        }
    }
    large
}

/// Links that make one piece of all.
fn spanning_links(rows: ArrayView2<f32>, piece: &mut [u32], scale: &[f32]) -> Vec<(u32, u32, f32)> {
    let members = members(piece);
    let pairs =
        if members.len() > EXACT_PIECES { pairs_by_centres(rows, &members) } else { shortest_pairs(rows, piece) };
    let weight = |i: usize, j: usize| {
        let closeness = scale[i] * scale[j] / squared_distance(rows.row(i), rows.row(j)).max(f32::MIN_POSITIVE);
        LINK_WEIGHT * closeness.min(1.0)
    };
    pairs.into_iter().map(|(i, j)| (i as u32, j as u32, weight(i, j))).collect()
}

/// The rows of each piece, pieces in the order of their first rows.
fn members(piece: &[u32]) -> Vec<Vec<usize>> {
    let mut place = std::collections::HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (m, &p) in piece.iter().enumerate() {
        let at = *place.entry(p).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[at].push(m);
    }
    members
}

fn squared_distance(a: ArrayView1<f32>, b: ArrayView1<f32>) -> f32 {
    match (a.to_slice(), b.to_slice()) {
        (Some(a), Some(b)) => vector::squared_distance(a, b),
        _ => a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum(),
    }
}

/// For each edge of the minimum spanning tree of the pieces' centres (Prim), the row of one piece nearest to the centre of the other,
/// and the row of the other nearest to that: not always the closest pair, but in time that does not grow with rows times pieces.
fn pairs_by_centres(rows: ArrayView2<f32>, members: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut centres = Array2::zeros((members.len(), rows.ncols()));
    for (mut centre, piece) in centres.rows_mut().into_iter().zip(members) {
        piece.iter().for_each(|&m| centre += &rows.row(m));
        centre /= piece.len() as f32;
    }
    let nearest = |piece: &[usize], point: ArrayView1<f32>| {
        let distances = piece.iter().map(|&m| (squared_distance(rows.row(m), point), m));
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a piece has rows").1
    };
    let mut pairs = Vec::new();
    let mut closest = vec![(f32::INFINITY, 0_usize); members.len()]; // distance to the tree, and to which piece of it
    let mut joined = vec![false; members.len()];
    let mut last = 0;
    for _ in 1..members.len() {
        joined[last] = true;
        closest.par_iter_mut().enumerate().filter(|(p, _)| !joined[*p]).for_each(|(p, held)| {
            let distance = squared_distance(centres.row(p), centres.row(last));
            if distance < held.0 {
                *held = (distance, last);
            }
        });
        let outside = (0..members.len()).filter(|&p| !joined[p]);
        let Some(next) = outside.min_by(|&a, &b| closest[a].0.total_cmp(&closest[b].0)) else { break };
        let other = closest[next].1;
        let i = nearest(&members[next], centres.row(other));
        pairs.push((i, nearest(&members[other], rows.row(i))));
        last = next;
    }
    pairs
}

/// The shortest links: the smallest piece is joined to its nearest row outside, again and again. Each such link is an edge of the
/// minimum spanning tree.
fn shortest_pairs(rows: ArrayView2<f32>, piece: &mut [u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    while let Some(smallest) = smallest_piece(piece) {
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..piece.len()).partition(|&m| piece[m] == smallest);
        let nearest = nearest_in(rows.select(Axis(0), &inside).view(), rows.select(Axis(0), &outside).view(), 1);
        let squared = nearest.squared_distances.column(0);
        let best = (0..inside.len()).min_by(|&a, &b| squared[a].total_cmp(&squared[b])).expect("a piece has rows");
        let (i, j) = (inside[best], outside[nearest.indices[[best, 0]] as usize]);
        pairs.push((i, j));
        inside.iter().for_each(|&m| piece[m] = piece[j]);
    }
    pairs
}

/// The piece with the fewest rows, or none where there is only one.
fn smallest_piece(piece: &[u32]) -> Option<u32> {
    let mut sizes = std::collections::BTreeMap::new();
    piece.iter().for_each(|&p| *sizes.entry(p).or_insert(0_usize) += 1);
    if sizes.len() < 2 { None } else { sizes.into_iter().min_by_key(|&(_, size)| size).map(|(p, _)| p) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlier_follows_its_neighbour_and_large_pieces_are_joined() {
        // two groups of ten on a line, and one pair far away
        let position = |i: usize| match i {
            0..10 => i as f32 * 0.1,
            10..20 => 10.0 + i as f32 * 0.1,
            _ => 100.0 + i as f32,
        };
        let rows = Array2::from_shape_fn((22, 1), |(i, _)| position(i));
        let chain = (0..21_u32).filter(|&i| i != 9 && i != 19).map(|i| (i, i + 1, 2.0));
        let graph = Csr::symmetrized(22, chain);
        let pieces = Pieces::joined(&graph, rows.view(), &Array1::from_elem(22, 0.1), 2, 0.02);
        assert_eq!(connected_components(&pieces.graph).count(), 1);
        assert_eq!(pieces.graph.len(), 22, "two rows are more than a fiftieth of eleven");
        let pieces = Pieces::joined(&graph, rows.view(), &Array1::from_elem(22, 0.1), 1, 0.02);
        assert_eq!(pieces.graph.len(), 22);
        let (_, weights) = pieces.graph.row(0);
        assert_eq!(weights, [1.0], "edges keep their weight");
    }

    /// Eighty pairs on a line: both ways join neighbours, by as many links as a tree has.
    #[test]
    fn many_pieces_are_joined_through_their_centres() {
        let rows = Array2::from_shape_fn((160, 1), |(i, _)| (i / 2) as f32 * 10.0 + (i % 2) as f32);
        let mut piece: Vec<u32> = (0..160).map(|i| i / 2).collect();
        let by_centres = pairs_by_centres(rows.view(), &members(&piece));
        let ordered = |pairs: Vec<(usize, usize)>| {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
            pairs.sort_unstable();
            pairs
        };
        let expected: Vec<(usize, usize)> = (0..79).map(|p| (2 * p + 1, 2 * p + 2)).collect();
        assert_eq!(ordered(by_centres), expected);
        assert_eq!(ordered(shortest_pairs(rows.view(), &mut piece)), expected);
    }

    #[test]
    fn small_pieces_are_set_aside() {
        let rows = Array2::from_shape_fn((203, 1), |(i, _)| if i < 200 { i as f32 } else { 1000.0 + i as f32 });
        let graph = Csr::symmetrized(203, (0..202_u32).filter(|&i| i != 199).map(|i| (i, i + 1, 1.0)));
        let pieces = Pieces::joined(&graph, rows.view(), &Array1::ones(203), 1, 0.02);
        assert_eq!(pieces.graph.len(), 200);
        let labels = pieces.spread(&(0..200).collect::<Vec<u32>>());
        assert_eq!(labels[200..], [199, 199, 199]);
        assert_eq!(Pieces::count(&connected_components(&graph), 1, 0.02), (1, 3));
    }
}
