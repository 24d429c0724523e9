//! The wallet of a federation: its outputs, including fly-over deposits.

use rhizome_bitcoin::Output;
use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_primitives::contract::ContractError;

use super::{BuildError, Release, ReleaseBuilder, StoredKeys, WalletKeys, balance};
use crate::federation::Federation;
use crate::storage::Frame;
use crate::storage::utxo_list::Utxos;

/// A federation with outputs that it can spend.
pub(crate) struct FederationWallet {
    pub(crate) federation: Federation,
    /// In stored order.
    pub(crate) utxos: Utxos,
}

impl FederationWallet {
    /// The wallet of the active federation.
    ///
    /// # Errors
    /// [`ContractError`] when the federation or its outputs cannot be read.
    pub(crate) fn active(frame: &mut Frame<'_>) -> Result<Self, ContractError> {
        let federation = frame.active_federation()?;
        Ok(Self { federation, utxos: frame.active_utxos()?.clone() })
    }

    /// The wallet of the retiring federation with its first `limit` outputs; None when there is none.
    ///
    /// # Errors
    /// As for [`FederationWallet::active`].
    pub(crate) fn retiring(frame: &mut Frame<'_>, limit: usize) -> Result<Option<Self>, ContractError> {
        let Some(federation) = frame.retiring_federation()? else { return Ok(None) };
        let Some(utxos) = frame.retiring_utxos()? else { return Ok(None) };
        Ok(Some(Self { federation, utxos: utxos.up_to(limit) }))
    }

    /// Its spendable amount, satoshi.
    ///
    /// # Errors
    /// [`ContractError::Failed`] when an output has an impossible amount.
    pub(crate) fn balance(&self) -> Result<i64, ContractError> {
        balance(&self.utxos)
    }

    /// Builds a transaction with the wallet's builder at the current fee; change goes to `change`.
    ///
    /// # Errors
    /// [`BuildError`]
    pub(crate) fn build(
        &self,
        frame: &mut Frame<'_>,
        change: BitcoinAddress,
        make: impl FnOnce(&mut ReleaseBuilder<'_>) -> Result<Release, BuildError>,
    ) -> Result<Release, BuildError> {
        let bitcoin = &frame.bridge().bitcoin;
        let (rules, fee_per_kb) = (frame.rules, frame.fee_per_kb()?);
        let mut keys = StoredKeys { frame, federations: std::slice::from_ref(&self.federation) };
        let segwit = self.federation.is_segwit();
        make(&mut ReleaseBuilder { bitcoin, rules, utxos: &self.utxos, keys: &mut keys, segwit, change, fee_per_kb })
    }

    /// Like [`Self::build`], with change to the federation itself.
    ///
    /// # Errors
    /// [`BuildError`]
    pub(crate) fn build_with_own_change(
        &self,
        frame: &mut Frame<'_>,
        make: impl FnOnce(&mut ReleaseBuilder<'_>) -> Result<Release, BuildError>,
    ) -> Result<Release, BuildError> {
        let own = self.federation.address(frame.bridge())?;
        self.build(frame, own, make)
    }

    /// Sum of the outputs that return to it, satoshi.
    ///
    /// # Errors
    /// [`ContractError::Failed`] when it overflows.
    pub(crate) fn returned(&self, frame: &mut Frame<'_>, outputs: &[Output]) -> Result<i64, ContractError> {
        let mut keys = StoredKeys { frame, federations: std::slice::from_ref(&self.federation) };
        let mut sum = 0_i64;
        for output in outputs {
            if keys.owns(&output.script)? {
                let more = sum.checked_add(output.value);
                sum = more.ok_or_else(|| ContractError::Failed("an amount overflows".into()))?;
            }
        }
        Ok(sum)
    }
}
