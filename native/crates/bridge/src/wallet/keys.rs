//! The redeem scripts that can spend outputs, by the hash in the output script.

use rhizome_bitcoin::Script;
use rhizome_primitives::contract::ContractError;

use crate::federation::Federation;
use crate::storage::Frame;
use crate::storage::flyover::FlyoverFederation;

/// The redeem scripts that a wallet knows.
pub trait WalletKeys {
    /// The redeem script behind a pay-to-script-hash output; None when the wallet does not know it.
    ///
    /// # Errors
    /// [`ContractError`] when the wallet's data cannot be read.
    fn redeem_script(&mut self, script_hash: &[u8; 20]) -> Result<Option<Vec<u8>>, ContractError>;

    /// True when an output with this script belongs to the wallet. A script that does not parse does not.
    ///
    /// # Errors
    /// As for [`WalletKeys::redeem_script`].
    fn owns(&mut self, output_script: &[u8]) -> Result<bool, ContractError> {
        match Script::parse(output_script).ok().and_then(|script| script.script_hash()) {
            Some(hash) => Ok(self.redeem_script(&hash)?.is_some()),
            None => Ok(false),
        }
    }
}

/// The redeem scripts of federations.
pub struct FederationKeys<'f>(pub &'f [Federation]);

impl FederationKeys<'_> {
    fn federation(&self, script_hash: &[u8]) -> Result<Option<&Federation>, ContractError> {
        for federation in self.0 {
            if federation.script_hash()?[..] == *script_hash {
                return Ok(Some(federation));
            }
        }
        Ok(None)
    }

    /// Under the hard-coded script of the test network no deposit can be spent: the reference builds the redeem script
    /// from the elements of the federation's, which it does not treat as a multi-signature script.
    fn flyover(&self, deposit: &FlyoverFederation) -> Result<Option<Vec<u8>>, ContractError> {
        let Some(federation) = self.federation(&deposit.federation_script_hash)? else { return Ok(None) };
        federation.members_redeem_script()?;
        federation.flyover_redeem_script(deposit.derivation_hash).map(Some)
    }
}

impl WalletKeys for FederationKeys<'_> {
    fn redeem_script(&mut self, script_hash: &[u8; 20]) -> Result<Option<Vec<u8>>, ContractError> {
        let federation = self.federation(script_hash)?;
        federation.map(|federation| federation.redeem_script().map(<[u8]>::to_vec)).transpose()
    }
}

/// The redeem scripts of federations and of the given fly-over deposits, each by the hash in its output script.
pub(crate) struct FlyoverKeys<'f> {
    pub(crate) federations: &'f [Federation],
    pub(crate) deposits: &'f [([u8; 20], FlyoverFederation)],
}

impl WalletKeys for FlyoverKeys<'_> {
    fn redeem_script(&mut self, script_hash: &[u8; 20]) -> Result<Option<Vec<u8>>, ContractError> {
        let mut keys = FederationKeys(self.federations);
        match self.deposits.iter().find(|(hash, _)| hash == script_hash) {
            Some((_, deposit)) => keys.flyover(deposit),
            None => keys.redeem_script(script_hash),
        }
    }
}

/// The redeem scripts of federations and of all stored fly-over deposits (RSKIP176).
pub(crate) struct StoredKeys<'f, 's> {
    pub(crate) frame: &'f mut Frame<'s>,
    pub(crate) federations: &'f [Federation],
}

impl WalletKeys for StoredKeys<'_, '_> {
    fn redeem_script(&mut self, script_hash: &[u8; 20]) -> Result<Option<Vec<u8>>, ContractError> {
        let mut keys = FederationKeys(self.federations);
        match self.frame.flyover_federation(script_hash)? {
            Some(deposit) => keys.flyover(&deposit),
            None => keys.redeem_script(script_hash),
        }
    }
}
