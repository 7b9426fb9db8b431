//! Two discs that touch by a thin bridge: the cut through the bridge is by far the cheapest.

use super::generator::Cloud;
use super::normal::add_normal;
use crate::seed::Stream;
use rand::RngExt;
use std::f32::consts::TAU;

/// Share of the rows that lie on the bridge.
const BRIDGE: f32 = 0.02;

/// Discs of radius 1 around (-1.5, 0) and (1.5, 0), and a line between them.
pub(super) struct Bridge {
    pub(super) noise: f32,
}

impl Cloud for Bridge {
    fn dimension(&self) -> usize {
        2
    }

    fn n_classes(&self) -> usize {
        2
    }

    fn draw(&self, point: &mut [f32], stream: &mut Stream) -> i32 {
        let class = stream.random_range(0..2u32);
        let side = if class == 0 { -1.0 } else { 1.0 };
        if stream.random::<f32>() < BRIDGE {
            point[0] = side * 0.5 * stream.random::<f32>();
            add_normal(&mut point[1..], stream, |_| self.noise);
        } else {
            let (sin, cos) = (TAU * stream.random::<f32>()).sin_cos();
            let radius = stream.random::<f32>().sqrt();
            point.copy_from_slice(&[1.5 * side + radius * cos, radius * sin]);
        }
        class as i32
    }
}
