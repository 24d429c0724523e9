//! Bitcoin addresses: Base58Check of a version and a hash, per network (bridge.md §9).

use rhizome_crypto::{hash160, sha256d};
use rhizome_primitives::bridge_spec::BitcoinSpec;

use crate::base58;
use crate::script::builder::{pay_to_public_key_hash, pay_to_script_hash};

/// A Base58Check address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Identifies the network and the kind of address.
    pub version: u8,
    /// HASH160 of a public key or of a script.
    pub hash: [u8; 20],
}

impl Address {
    /// The address as Base58Check.
    #[must_use]
    pub fn to_base58(self) -> String {
        let mut bytes = vec![self.version];
        bytes.extend_from_slice(&self.hash);
        let checksum = sha256d(&bytes);
        bytes.extend_from_slice(&checksum[..4]);
        bs58::encode(bytes).into_string()
    }
}

impl Address {
    /// An address of the network.
    ///
    /// # Errors
    /// [`AddressError::Format`] for a version of another network.
    pub fn new(bitcoin: &BitcoinSpec, version: u8, hash: [u8; 20]) -> Result<Self, AddressError> {
        if version == bitcoin.address_version || version == bitcoin.script_address_version {
            Ok(Self { version, hash })
        } else {
            Err(AddressError::Format)
        }
    }

    /// True when it is the address of a script.
    #[must_use]
    pub const fn is_script(&self, bitcoin: &BitcoinSpec) -> bool {
        self.version == bitcoin.script_address_version
    }

    /// The script that pays to this address.
    #[must_use]
    pub fn output_script(&self, bitcoin: &BitcoinSpec) -> Vec<u8> {
        if self.is_script(bitcoin) { pay_to_script_hash(&self.hash) } else { pay_to_public_key_hash(&self.hash) }
    }

    /// Version and hash. Before RSKIP284 the version is a signed number: 196 takes two bytes.
    #[must_use]
    pub fn to_bytes(&self, rskip284: bool) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(22);
        if !rskip284 && self.version >= 0x80 {
            bytes.push(0);
        }
        bytes.push(self.version);
        bytes.extend_from_slice(&self.hash);
        bytes
    }

    /// Reads version and hash: from RSKIP284 on exactly 21 bytes; before it the first 21 bytes, with a version below
    /// 128.
    ///
    /// # Errors
    /// [`AddressError::Length`] for no bytes, and from RSKIP284 on for any length but 21; before RSKIP284
    /// [`AddressError::Fatal`] for too few bytes and for a negative version; [`AddressError::Format`] for a version of
    /// another network.
    pub fn from_bytes(bitcoin: &BitcoinSpec, bytes: &[u8], rskip284: bool) -> Result<Self, AddressError> {
        let (version, hash) = bytes.split_first().ok_or(AddressError::Length)?;
        if rskip284 && hash.len() != 20 {
            return Err(AddressError::Length);
        }
        let hash = hash.first_chunk().ok_or(AddressError::Fatal)?;
        if !rskip284 && *version >= 0x80 {
            return Err(AddressError::Fatal);
        }
        Self::new(bitcoin, *version, *hash)
    }
}

/// Pay-to-script-hash address of a script.
#[must_use]
pub fn script_address(bitcoin: &BitcoinSpec, script: &[u8]) -> Address {
    Address { version: bitcoin.script_address_version, hash: hash160(script) }
}

/// Reason why a text is not an address of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// Wrong characters, checksum or version: the reference treats the text as no address.
    Format,
    /// No bytes between version and checksum, or no version: the reference throws.
    Fatal,
    /// A wrong number of bytes: the reference throws an illegal argument of its own.
    Length,
}

/// Reads an address. The hash may have any length, because the reference does not check it: an address with an odd
/// length differs from every stored one by its bytes only.
///
/// [`AddressError`], according to what the reference does.
/// [`AddressError`], according to what the reference does.
pub fn parse(bitcoin: &BitcoinSpec, text: &str) -> Result<(u8, Vec<u8>), AddressError> {
    let bytes = base58::decode(text).ok_or(AddressError::Format)?;
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
