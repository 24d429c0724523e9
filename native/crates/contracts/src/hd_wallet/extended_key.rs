//! Extended public keys (BIP 32): 78 bytes in Base58Check.

use hmac::{Hmac, Mac};
use rhizome_crypto::hash160;
use rhizome_primitives::contract::ContractError;
use secp256k1::{PublicKey, Scalar, Secp256k1};
use sha2::Sha512;

use crate::native::failed;

const MAIN_VERSION: [u8; 4] = [0x04, 0x88, 0xb2, 0x1e];
const TEST_VERSION: [u8; 4] = [0x04, 0x35, 0x87, 0xcf];

const SERIALISED_BYTES: usize = 78;

/// Serialised keys have 111 characters. A longer text is refused before it is decoded, because the time of Base58
/// decoding grows with the square of the length.
const MAX_CHARACTERS: usize = 112;

/// A key of a derivation tree, without its private half.
pub(crate) struct ExtendedPublicKey {
    version: [u8; 4],
    depth: u8,
    parent_fingerprint: [u8; 4],
    child: u32,
    chain_code: [u8; 32],
    key: PublicKey,
}

impl ExtendedPublicKey {
    /// Reads `xpub…` (Bitcoin) or `tpub…` (Bitcoin's test network).
    pub(crate) fn parse(text: &str) -> Result<Self, ContractError> {
        let version = match text.get(..4) {
            Some("xpub") => MAIN_VERSION,
            Some("tpub") => TEST_VERSION,
            _ => return Err(failed("an extended public key starts with xpub or tpub")),
        };
        if text.len() > MAX_CHARACTERS {
            return Err(failed("the extended public key is too long"));
        }
        let decoded = bs58::decode(text).with_check(None).into_vec();
        let bytes = decoded.map_err(|_| failed("the extended public key is not Base58Check"))?;
        Self::deserialise(version, &bytes).ok_or_else(|| failed("the extended public key is malformed"))
    }

    fn deserialise(version: [u8; 4], bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; SERIALISED_BYTES] = bytes.try_into().ok()?;
        let (head, rest) = bytes.split_first_chunk::<4>()?;
        let (&depth, rest) = rest.split_first()?;
        let (parent_fingerprint, rest) = rest.split_first_chunk::<4>()?;
        let (child, rest) = rest.split_first_chunk::<4>()?;
        let (chain_code, key) = rest.split_first_chunk::<32>()?;
        (*head == version).then_some(())?;
        Some(Self {
            version,
            depth,
            parent_fingerprint: *parent_fingerprint,
            child: u32::from_be_bytes(*child),
            chain_code: *chain_code,
            key: PublicKey::from_slice(key).ok()?,
        })
    }

    /// The compressed key.
    pub(crate) fn public_key(&self) -> [u8; 33] {
        self.key.serialize()
    }

    /// The unhardened child with that number (below 2^31). The depth wraps modulo 256.
    pub(crate) fn derive(&self, child: u32) -> Result<Self, ContractError> {
        let public_key = self.public_key();
        let mut mac =
            Hmac::<Sha512>::new_from_slice(&self.chain_code).map_err(|_| failed("the chain code is no HMAC key"))?;
        mac.update(&public_key);
        mac.update(&child.to_be_bytes());
        let code: [u8; 64] = mac.finalize().into_bytes().into();
        let (mut tweak, mut chain_code) = ([0; 32], [0; 32]);
        tweak.copy_from_slice(&code[..32]);
        chain_code.copy_from_slice(&code[32..]);
        let tweak = Scalar::from_be_bytes(tweak).map_err(|_| failed("the derived number is out of range"))?;
        let key = self.key.add_exp_tweak(&Secp256k1::verification_only(), &tweak);
        let mut parent_fingerprint = [0; 4];
        parent_fingerprint.copy_from_slice(&hash160(&public_key)[..4]);
        Ok(Self {
            version: self.version,
            depth: self.depth.wrapping_add(1),
            parent_fingerprint,
            child,
            chain_code,
            key: key.map_err(|_| failed("the derived key is the point at infinity"))?,
        })
    }

    /// The Base58Check form, with the version that the key was read with.
    pub(crate) fn to_base58(&self) -> String {
        let mut bytes = Vec::with_capacity(SERIALISED_BYTES);
        bytes.extend_from_slice(&self.version);
        bytes.push(self.depth);
        bytes.extend_from_slice(&self.parent_fingerprint);
        bytes.extend_from_slice(&self.child.to_be_bytes());
        bytes.extend_from_slice(&self.chain_code);
        bytes.extend_from_slice(&self.public_key());
        bs58::encode(bytes).with_check().into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BIP 32, test vector 2: the public chain m and m/0.
    #[test]
    fn derives_the_published_chain() {
        let master = "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB";
        let child = "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH";
        let key = ExtendedPublicKey::parse(master).expect("a valid key");
        assert_eq!(key.to_base58(), master);
        assert_eq!(key.derive(0).expect("a child").to_base58(), child);
    }

    #[test]
    fn refuses_other_prefixes_and_broken_checksums() {
        let master = "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB";
        for bad in
            ["", "xpu", "xpub", &master.replacen('x', "y", 1), &master.replacen("yA", "Ay", 1), &format!("{master}1")]
        {
            assert!(ExtendedPublicKey::parse(bad).is_err(), "{bad}");
        }
    }
}
