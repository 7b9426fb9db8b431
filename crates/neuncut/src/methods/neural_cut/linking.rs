//! Links in a fit: the labels of the start obey them, the network learns them, and training that breaks some is mended.

use super::Diagnostics;
use super::fit_start::{Chosen, StartRows};
use super::stages::Fit;
use crate::Result;
use crate::features::Pipeline;
use crate::links::Links;
use crate::network::Weights;
use crate::train::History;
use ndarray::{ArrayView2, Axis};
use std::borrow::Cow;

/// Linked rows, of which there may be two among thousands with labels that their neighbours do not have, come again until they are this
/// share of the rows that the network learns from, but no more often than that.
const LINKED_SHARE: f64 = 0.1;
const MOST_COPIES: usize = 30;

impl Fit<'_> {
    /// A start that obeys the links; `representation` are the rows as neighbours are looked for.
    pub(super) fn obeying(&self, mut start: StartRows, representation: ArrayView2<f32>) -> Result<StartRows> {
        let Some(links) = self.links else { return Ok(start) };
        let mut labels = vec![None; representation.nrows()];
        start.rows.iter().zip(&start.labels).for_each(|(&row, &label)| labels[row] = Some(label));
        start.rows.extend(links.rows().iter().filter(|&&row| labels[row].is_none()));
        self.obey(links, &mut labels, representation);
        start.labels = start.rows.iter().filter_map(|&row| labels[row]).collect();
        Ok(start)
    }

    /// Puts labels right by the neighbours on the graph that was given, or in the representation.
    fn obey(&self, links: &Links, labels: &mut [Option<u32>], representation: ArrayView2<f32>) {
        let near = match &self.prepared.graph {
            Some(given) => links.rows().iter().map(|&row| given.graph.neighbors(row).collect()).collect(),
            None => links.near(representation),
        };
        links.obey(labels, &near, self.config.clusters);
    }

    /// The rows that the network learns a start from, with those that have a link several times.
    pub(super) fn lessons<'b>(&self, rows: &'b [usize], labels: &'b [u32]) -> (Cow<'b, [usize]>, Cow<'b, [u32]>) {
        let Some(links) = self.links else { return (rows.into(), labels.into()) };
        let is_linked = |&at: &usize| links.rows().binary_search(&rows[at]).is_ok();
        let linked: Vec<usize> = (0..rows.len()).filter(is_linked).collect();
        let wanted = LINKED_SHARE * rows.len() as f64 / linked.len().max(1) as f64;
        let copies = (wanted as usize).min(MOST_COPIES);
        let again = linked.repeat(copies);
        let rows = rows.iter().copied().chain(again.iter().map(|&at| rows[at])).collect();
        let labels = labels.iter().copied().chain(again.iter().map(|&at| labels[at])).collect();
        (Cow::Owned(rows), Cow::Owned(labels))
    }

    /// A trained network that breaks more links than the start: it learns its own labels with the links put right.
    pub(super) fn mended(
        &mut self,
        start: &Weights,
        trained: Weights,
        chosen: &Chosen,
        inputs: ArrayView2<f32>,
        history: &mut Vec<History>,
    ) -> Result<Weights> {
        let Some(links) = self.links else { return Ok(trained) };
        let labels_of = |weights: &Weights| weights.labels(&Pipeline::default(), inputs);
        let found = labels_of(&trained);
        if links.broken(&found) <= links.broken(&labels_of(start)) {
            return Ok(trained);
        }
        self.stage("links that training broke")?;
        let mut labels: Vec<Option<u32>> = found.into_iter().map(Some).collect();
        self.obey(links, &mut labels, chosen.representation.view());
        let (rows, labels): (Vec<usize>, Vec<u32>) =
            ((0..labels.len()).collect(), labels.into_iter().flatten().collect());
        let (rows, labels) = self.lessons(&rows, &labels);
        let inputs = inputs.select(Axis(0), &rows);
        self.warm_start(trained, inputs.view(), &labels, history, &mut Diagnostics::default())
    }
}
