//! Redeem scripts of federations, as the reference recognises them (bridge.md §3.4).

mod structure;

use rhizome_primitives::B256;
use rhizome_primitives::hex;

use crate::key::PublicKey;
use crate::script::{Chunk, ScriptError, parse_chunks, write_chunks};
use crate::signature;
use structure::{is_multisig, non_standard_erp_default, p2sh_erp_default, without_flyover_prefix};

/// The script of a federation of the test network. The reference's library did not recognise it when it was in use, so
/// it must not be recognised now.
const TESTNET_ERP_SCRIPT: &[u8] = &hex!(
    "6453210208f40073a9e43b3e9103acec79767a6de9b0409749884e989960fee578012fce210225e892391625854128c5c4ea4340de0c2a70"
    "570f33db53426fc9c746597a03f42102afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da210344a3c38cd59a"
    "fcba3edcebe143e025574594b001700dec41e59409bdbd0f2a0921039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f"
    "259fcdb955670300cd50b27552210216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3210275562901dd8faa"
    "e20de0a4166362a4f82188db77dbed4ca887422ea1ec185f1421034db69f2112f4fb1bb6141bf6e2bd6631f0484d0bd95b16767902c9fe21"
    "9d4a6f5368ae"
);

/// Minimum number of elements of a redeem script.
const MIN_CHUNKS: usize = 4;

/// Kinds of redeem scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedeemScriptKind {
    /// Threshold, keys, number of keys, check.
    Standard,
    /// Two of these, the second one after a delay.
    P2shErp,
    /// Two lists of keys, the second one after a delay, followed by a single check.
    NonStandardErp,
    /// The test network's script, which does not count as multi-signature.
    HardcodedTestnetErp,
}

/// A redeem script that was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedeemScript<'a> {
    kind: RedeemScriptKind,
    flyover: bool,
    /// Threshold, keys, number of keys and check of the default branch.
    default: Vec<Chunk<'a>>,
    threshold: i32,
}

impl<'a> RedeemScript<'a> {
    /// Recognises a script by its elements. The offsets of elements take part in the comparison with the test network's
    /// script, so the elements must come from the script itself.
    ///
    /// # Errors
    /// [`ScriptError::Script`] for an unknown script; [`ScriptError::Other`] for elements on which the reference fails:
    /// an empty push instead of a threshold, or an ELSE too close to the end.
    pub fn parse(chunks: &[Chunk<'a>]) -> Result<Self, ScriptError> {
        if parse_chunks(TESTNET_ERP_SCRIPT).as_deref() == Ok(chunks) {
            let kind = RedeemScriptKind::HardcodedTestnetErp;
            return Ok(Self { kind, flyover: false, default: Vec::new(), threshold: -1 });
        }
        if chunks.len() < MIN_CHUNKS {
            return Err(ScriptError::Script("a redeem script has at least four elements"));
        }
        let mut inner = chunks;
        while let Some(rest) = without_flyover_prefix(inner) {
            inner = rest;
        }
        let (kind, default) = if is_multisig(inner)? {
            (RedeemScriptKind::Standard, inner.to_vec())
        } else if let Some(default) = p2sh_erp_default(inner)? {
            (RedeemScriptKind::P2shErp, default)
        } else if let Some(default) = non_standard_erp_default(inner)? {
            (RedeemScriptKind::NonStandardErp, default)
        } else {
            return Err(ScriptError::Script("the redeem script is unknown"));
        };
        let threshold = default.first().map_or(Ok(0), Chunk::positive_number)?;
        Ok(Self { kind, flyover: inner.len() != chunks.len(), default, threshold })
    }

    /// Its kind, without the prefix of a fly-over.
    #[must_use]
    pub const fn kind(&self) -> RedeemScriptKind {
        self.kind
    }

    /// True when it has the prefix of a fly-over.
    #[must_use]
    pub const fn is_flyover(&self) -> bool {
        self.flyover
    }

    /// Signatures needed; -1 for the test network's script.
    #[must_use]
    pub const fn threshold(&self) -> i32 {
        self.threshold
    }

    /// True when it has an emergency branch that the reference recognises.
    #[must_use]
    pub const fn has_erp_format(&self) -> bool {
        matches!(self.kind, RedeemScriptKind::P2shErp | RedeemScriptKind::NonStandardErp)
    }

    /// Bytes of its keys, as in the script.
    fn keys(&self) -> impl Iterator<Item = &'a [u8]> {
        let keys = self.default.get(1..self.default.len().saturating_sub(2)).unwrap_or_default();
        keys.iter().filter_map(|chunk| chunk.data)
    }

    /// Its keys.
    ///
    /// # Errors
    /// [`ScriptError::Script`] for the test network's script; [`ScriptError::Argument`] for bytes that are not a key.
    pub fn public_keys(&self) -> Result<Vec<PublicKey>, ScriptError> {
        self.multisig()?;
        self.keys().map(|bytes| PublicKey::parse(bytes).map_err(ScriptError::from)).collect()
    }

    /// The script of its default branch: threshold, keys, number of keys and check.
    ///
    /// # Errors
    /// [`ScriptError::Script`] for the test network's script.
    pub fn standard_script(&self) -> Result<Vec<u8>, ScriptError> {
        self.multisig()?;
        write_chunks(&self.default)
    }

    fn multisig(&self) -> Result<(), ScriptError> {
        if self.kind == RedeemScriptKind::HardcodedTestnetErp {
            return Err(ScriptError::Script("the test network's script counts as none of several keys"));
        }
        Ok(())
    }

    /// Index of the key with exactly these bytes; -1 in the test network's script.
    ///
    /// # Errors
    /// [`ScriptError::State`] when there is none.
    pub fn find_key(&self, key: &[u8]) -> Result<i32, ScriptError> {
        if self.multisig().is_err() {
            return Ok(-1);
        }
        let index = self.keys().position(|bytes| bytes == key);
        index.map(|index| index as i32).ok_or(ScriptError::State("the key is not in the redeem script"))
    }

    /// Index of the key that made this signature over `hash`, sighash byte included; 0 in the test network's script.
    ///
    /// # Errors
    /// [`ScriptError::Argument`] when the threshold is not an opcode or a key is invalid; [`ScriptError::Other`] when
    /// the signature is not encoded strictly; [`ScriptError::State`] when no key signed.
    pub fn find_signature(&self, signature: &[u8], hash: &B256) -> Result<i32, ScriptError> {
        if self.multisig().is_err() {
            return Ok(0);
        }
        if !self.default.first().is_some_and(Chunk::is_opcode) {
            return Err(ScriptError::Argument("the threshold is not an opcode"));
        }
        if !signature::is_canonical(signature) {
            return Err(ScriptError::Other("the signature is not encoded strictly"));
        }
        let signature = signature::Signature::parse(signature)
            .map_err(|_| ScriptError::Other("the signature is not encoded strictly"))?;
        for (index, bytes) in self.keys().enumerate() {
            if PublicKey::parse(bytes)?.verify(hash, &signature)? {
                return Ok(index as i32);
            }
        }
        Err(ScriptError::State("no key of the redeem script signed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(program: &[u8]) -> Result<(RedeemScriptKind, bool, i32), ScriptError> {
        let chunks = parse_chunks(program)?;
        RedeemScript::parse(&chunks).map(|redeem| (redeem.kind(), redeem.is_flyover(), redeem.threshold()))
    }

    fn flyover(script: &[u8]) -> Vec<u8> {
        [&[32][..], &[9; 32], &[0x75], script].concat()
    }

    #[test]
    fn the_test_networks_script_is_itself_only_as_a_whole() {
        assert_eq!(parse(TESTNET_ERP_SCRIPT), Ok((RedeemScriptKind::HardcodedTestnetErp, false, -1)));
        assert_eq!(parse(&flyover(TESTNET_ERP_SCRIPT)), Ok((RedeemScriptKind::NonStandardErp, true, 3)));
    }

    #[test]
    fn prefixes_of_fly_overs_nest() {
        let standard = [0x51, 1, 7, 0x51, 0xae];
        assert_eq!(parse(&standard), Ok((RedeemScriptKind::Standard, false, 1)));
        let mut script = standard.to_vec();
        for _ in 0..10_000 {
            script = flyover(&script);
        }
        assert_eq!(parse(&script), Ok((RedeemScriptKind::Standard, true, 1)));
    }

    #[test]
    fn an_else_too_close_to_the_end_is_no_script_exception() {
        assert!(matches!(parse(&[0x64, 0x51, 0x51, 0x67, 0xae, 0x68]), Err(ScriptError::Other(_))));
        assert!(matches!(parse(&[0x64, 0x51, 0x51, 0x51, 0x67, 0x68, 0xae]), Err(ScriptError::Other(_))));
        assert!(parse(&[0x64, 0x51, 0x51, 0xae, 0x68]).is_err_and(|error| error.is_script()));
    }
}
