//! Where training runs.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A compute device. The CPU is always there; the others are cargo features of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
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
    /// Refuses a device that this build does not have.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda if cfg!(feature = "cuda") => Ok(()),
            Self::Wgpu if cfg!(feature = "wgpu") => Ok(()),
            gpu => Err(gpu.missing()),
        }
    }

    /// Burn's handle of a GPU.
    #[cfg(feature = "burn")]
    pub(super) fn open(self) -> Result<burn::tensor::Device> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda => Ok(burn::tensor::Device::cuda(0)),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(burn::tensor::Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            other => Err(other.missing()),
        }
    }

    pub(super) fn missing(self) -> Error {
        let device = format!("{self:?}").to_lowercase();
        let remedy = format!("rebuild with --features {device}, or use --device cpu");
        Error::Device { device, remedy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(feature = "cuda"))]
    fn a_device_of_another_build_is_refused_with_the_remedy() {
        assert!(Device::Cpu.check().is_ok());
        let error = Device::Cuda.check().unwrap_err().to_string();
        assert_eq!(error, "device cuda is not available: rebuild with --features cuda, or use --device cpu");
    }
}
