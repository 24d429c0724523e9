//! Bitcoin addresses.

use rhizome_crypto::{hash160, sha256d};
use rhizome_primitives::bridge_spec::BitcoinSpec;

/// A Base58Check address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) version: u8,
    pub(crate) hash: [u8; 20],
}

impl Address {
    pub(crate) fn to_base58(self) -> String {
        let mut bytes = vec![self.version];
        bytes.extend_from_slice(&self.hash);
        let checksum = sha256d(&bytes);
        bytes.extend_from_slice(&checksum[..4]);
        bs58::encode(bytes).into_string()
    }
}

/// Pay-to-script-hash address of a script.
pub(crate) fn script_address(bitcoin: &BitcoinSpec, script: &[u8]) -> Address {
    Address { version: bitcoin.script_address_version, hash: hash160(script) }
}

/// Why a text is no address of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressError {
    /// Wrong characters, checksum or version: the reference takes this for "no such address".
    Format,
    /// Nothing between version and checksum, or not even a version: the reference throws.
    Fatal,
}

/// Reads an address. The hash may have any length: the reference does not check it, so an odd one is
/// told apart from every stored one only by its bytes.
pub(crate) fn parse(bitcoin: &BitcoinSpec, text: &str) -> Result<(u8, Vec<u8>), AddressError> {
    let bytes = bs58::decode(text).into_vec().map_err(|_| AddressError::Format)?;
    let (data, checksum) = bytes.split_last_chunk::<4>().ok_or(AddressError::Format)?;
    if sha256d(data)[..4] != checksum[..] {
        return Err(AddressError::Format);
    }
    let (version, hash) = data.split_first().ok_or(AddressError::Fatal)?;
    if *version != bitcoin.address_version && *version != bitcoin.script_address_version {
        return Err(AddressError::Format);
    }
    Ok((*version, hash.to_vec()))
}
