//! Sixteen images side by side: every step of a transform is the same for all of them, so that each is one vector operation.
//!
//! ```
//! use neuncut_linalg::lanes::{Band, ComplexLanes, Fourier, LANES, Lanes};
//!
//! // sixteen images of 4 x 6 pixels; a band that passes every frequency gives their moduli back
//! let fourier = Fourier::new(4, 6);
//! let images: Vec<Lanes> = (0..24).map(|i| Lanes([i as f32 - 10.0; LANES])).collect();
//! let (mut spectrum, mut moduli) = (vec![ComplexLanes::ZERO; 24], vec![Lanes::ZERO; 24]);
//! let mut scratch = fourier.scratch();
//! fourier.forward(&images, &mut spectrum, &mut scratch);
//! fourier.moduli(&Band::new(4, 6, &[1.0; 24], 0), &spectrum, &mut moduli, &mut scratch);
//! assert!((moduli[0].0[0] - 10.0).abs() < 1e-5);
//! ```

mod band;
mod fourier;
mod line;
mod low_pass;
mod registers;

pub use band::Band;
pub use fourier::{Fourier, FourierBuffers};
pub use low_pass::LowPass;
pub use registers::{ComplexLanes, LANES, Lanes};
