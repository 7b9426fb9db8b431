//! The judges: what a partition is marked by, and on which graphs.

use ndarray::{Array2, ArrayView2, Axis};
use neuncut::Result;
use neuncut::ensemble::{Ensemble, Pool};
use neuncut::graph::{Csr, Joint};
use neuncut::metrics::ari;

/// Neighbours of the judging graphs.
pub const NEIGHBORS: [usize; 4] = [10, 15, 20, 30];

/// How a partition lies on a graph.
struct Seen<'a> {
    graph: &'a Csr,
    labels: &'a [u32],
    joint: Joint,
}

type Criterion = (&'static str, fn(&Seen) -> f64);

/// Marks on a graph; higher is better.
const ON_GRAPHS: [Criterion; 8] = [
    ("-Ncut", |seen| -seen.joint.ncut()),
    ("-log cut", |seen| -seen.joint.log_cut()),
    ("-min-max cut", |seen| -seen.joint.min_max_cut()),
    ("share not cut", |seen| seen.joint.kept()),
    ("modularity", |seen| seen.joint.modularity()),
    ("mutual information", |seen| seen.joint.information()),
    ("its share of the entropy", |seen| seen.joint.information_share()),
    ("neighbours' vote", share_of_voters),
];

/// Who picks a partition.
#[derive(Clone, Copy)]
pub enum Judge {
    /// A mark on the graph of so many neighbours (a place in [`NEIGHBORS`]) of its own representation, or the mean rank on those of all.
    Graph { criterion: usize, neighbors: usize, own: bool },
    /// The share of held-out rows whose nearest centre, of the other rows, is that of their cluster.
    Centres,
    /// The adjusted Rand index with the same method's partition of half of the rows.
    HalfStability,
    /// The mean adjusted Rand index with all other partitions.
    Agreement,
}

/// All judges.
pub fn judges() -> Vec<Judge> {
    let mut judges = Vec::new();
    for criterion in 0..ON_GRAPHS.len() {
        for neighbors in 0..NEIGHBORS.len() {
            judges.extend([true, false].map(|own| Judge::Graph { criterion, neighbors, own }));
        }
    }
    judges.extend([Judge::Centres, Judge::HalfStability, Judge::Agreement]);
    judges
}

impl Judge {
    /// Its cells in a table: name, neighbours and graphs.
    pub fn cells(&self) -> String {
        match self {
            Self::Graph { criterion, neighbors, own } => {
                let graphs = if *own { "own" } else { "all" };
                format!("{} | {} | {graphs}", ON_GRAPHS[*criterion].0, NEIGHBORS[*neighbors])
            }
            Self::Centres => "nearest centre of held-out rows | | ".into(),
            Self::HalfStability => "stability in half of the rows | | ".into(),
            Self::Agreement => "agreement with all others | | ".into(),
        }
    }

    /// Its name in one cell.
    pub fn name(&self) -> String {
        let cells = self.cells();
        cells.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// The partitions of all rows, and what their judges look at.
pub struct Pools {
    pub all: Pool,
    /// One mark per partition: on each graph of each number of neighbours, as `[criterion][neighbours][partition][graph]`.
    marks: Vec<Vec<Vec<Vec<f64>>>>,
    centres: Vec<f64>,
    stability: Vec<f64>,
}

impl Pools {
    pub fn of(ensemble: &Ensemble, rows: ArrayView2<f32>) -> Result<Self> {
        let all = ensemble.pool(rows)?;
        let k = ensemble.n_clusters;
        let half: Vec<usize> = (0..rows.nrows()).step_by(2).collect();
        // half of few rows may have fewer different ones than clusters
        let of_half = ensemble.pool(rows.select(Axis(0), &half).view()).ok();
        let centres = all.partitions.iter().map(|p| share_at_centres(rows, &all, &p.labels, k)).collect();
        let stability = (0..all.partitions.len()).map(|at| stability(&all, at, of_half.as_ref(), &half));
        let stability = stability.collect::<Result<_>>()?;
        let marks = ON_GRAPHS.iter().map(|(_, criterion)| marks(&all, k, *criterion)).collect();
        Ok(Self { all, marks, centres, stability })
    }

    /// The place of the partition that a judge picks; the first of equals.
    pub fn pick(&self, judge: &Judge) -> Result<usize> {
        let count = self.all.partitions.len();
        let costs: Vec<f64> = match *judge {
            Judge::Graph { criterion, neighbors, own } => {
                let marks = &self.marks[criterion][neighbors];
                (0..count)
                    .map(|p| if own { -marks[p][self.all.partitions[p].representation] } else { rank(marks, p) })
                    .collect()
            }
            Judge::Centres => self.centres.iter().map(|share| -share).collect(),
            Judge::HalfStability => self.stability.iter().map(|index| -index).collect(),
            Judge::Agreement => {
                let labels = |p: usize| &self.all.partitions[p].labels;
                let sum = |p: usize| (0..count).map(|other| ari(labels(p), labels(other))).sum::<Result<f64>>();
                (0..count).map(|p| Ok(-sum(p)?)).collect::<Result<_>>()?
            }
        };
        Ok((0..count).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0))
    }
}

/// How many partitions are marked higher, over all graphs.
fn rank(marks: &[Vec<f64>], partition: usize) -> f64 {
    let own = &marks[partition];
    (0..own.len()).map(|g| marks.iter().filter(|other| other[g] > own[g]).count()).sum::<usize>() as f64
}

/// `[neighbours][partition][graph]`.
fn marks(pool: &Pool, k: usize, criterion: fn(&Seen) -> f64) -> Vec<Vec<Vec<f64>>> {
    let mark = |graph: &Csr, labels: &[u32]| criterion(&Seen { graph, labels, joint: Joint::of(graph, labels, k) });
    let of_partition = |neighbors: usize, labels: &[u32]| {
        // few rows have fewer graphs: some numbers of neighbours are then the same
        pool.graphs.iter().map(|(_, graphs)| mark(&graphs[neighbors.min(graphs.len() - 1)], labels)).collect()
    };
    (0..NEIGHBORS.len()).map(|at| pool.partitions.iter().map(|p| of_partition(at, &p.labels)).collect()).collect()
}

/// The share of nodes whose cluster has most of the weight of their edges.
fn share_of_voters(seen: &Seen) -> f64 {
    let clusters = seen.labels.iter().max().map_or(0, |&last| last as usize + 1);
    let agrees = |i: usize| {
        let mut votes = vec![0.0; clusters];
        seen.graph.neighbors(i).for_each(|(j, weight)| votes[seen.labels[j] as usize] += weight);
        votes.iter().all(|&vote| vote <= votes[seen.labels[i] as usize])
    };
    (0..seen.labels.len()).filter(|&i| agrees(i)).count() as f64 / seen.labels.len().max(1) as f64
}

/// The share of odd rows whose nearest centre, made of the even rows of each cluster, is that of their own cluster.
fn share_at_centres(rows: ArrayView2<f32>, pool: &Pool, labels: &[u32], k: usize) -> f64 {
    let label = |i: usize| labels[pool.of_row[i]] as usize;
    let (mut centres, mut counts) = (Array2::<f32>::zeros((k, rows.ncols())), vec![0.0_f32; k]);
    for i in (0..rows.nrows()).step_by(2) {
        centres.row_mut(label(i)).scaled_add(1.0, &rows.row(i));
        counts[label(i)] += 1.0;
    }
    centres.outer_iter_mut().zip(&counts).for_each(|(mut centre, &count)| centre /= count.max(1.0));
    let lengths: Vec<f32> = centres.outer_iter().map(|centre| centre.dot(&centre)).collect();
    let products = rows.dot(&centres.t());
    let nearest = |i: usize| {
        let distance = |c: &usize| lengths[*c] - 2.0 * products[[i, *c]];
        (0..k).filter(|&c| counts[c] > 0.0).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let odd = (1..rows.nrows()).step_by(2);
    let count = odd.len().max(1) as f64;
    odd.filter(|&i| nearest(i) == Some(label(i))).count() as f64 / count
}

/// The adjusted Rand index of a partition of all rows, on every second row, with the one in its place among those of these rows alone; zero
/// where there is none.
fn stability(all: &Pool, at: usize, of_half: Option<&Pool>, half: &[usize]) -> Result<f64> {
    let place = |pool: &Pool, at: usize| {
        let representation = pool.partitions[at].representation;
        let before = pool.partitions[..at].iter().filter(|p| p.representation == representation).count();
        (pool.graphs[representation].0.clone(), before)
    };
    let own = place(all, at);
    let partner =
        of_half.and_then(|pool| (0..pool.partitions.len()).find(|&p| place(pool, p) == own).map(|p| (pool, p)));
    let Some((pool, p)) = partner else { return Ok(0.0) };
    let whole: Vec<u32> = half.iter().map(|&i| all.partitions[at].labels[all.of_row[i]]).collect();
    let again: Vec<u32> = pool.of_row.iter().map(|&node| pool.partitions[p].labels[node]).collect();
    ari(&whole, &again)
}
