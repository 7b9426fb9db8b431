//! Where training runs.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A compute device. The CPU is always there; the others are cargo features of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Device {
    /// All cores of this machine.
    #[default]
    Cpu,
    /// The first CUDA device.
    Cuda,
    /// The default WebGPU adapter (Vulkan, Metal or DirectX).
    Wgpu,
}

impl Device {
    /// Burn's handle, or why there is none.
    pub(crate) fn open(self) -> Result<burn::tensor::Device> {
        match self {
            Self::Cpu => Ok(burn::tensor::Device::flex()),
            #[cfg(feature = "cuda")]
            Self::Cuda => Ok(burn::tensor::Device::cuda(0)),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(burn::tensor::Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            #[allow(unreachable_patterns)]
            other => {
                let name = format!("{other:?}").to_lowercase();
                let remedy = format!("rebuild with --features {name}, or use --device cpu");
                Err(Error::Device { device: name, remedy })
            }
        }
    }
}
