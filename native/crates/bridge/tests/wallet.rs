//! The wallet: the outputs that it spends, and the requests that it refuses (bridge.md §4.6).

mod support;

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bridge::recorded::{BuildError, Federation, FederationKeys, Release, ReleaseBuilder, Utxo, balance};
use rhizome_primitives::B256;
use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::rules::RuleSet;

const FEE_PER_KB: i64 = 100_000;
/// Pays to a key hash.
const USER: BitcoinAddress = BitcoinAddress { version: 111, hash: [9; 20] };

struct Setting {
    spec: BridgeSpec,
    rules: RuleSet,
    federations: [Federation; 1],
}

fn setting(format: FederationFormat) -> Setting {
    let chain = support::regtest();
    let rules = chain.rules_at(100);
    let mut spec = chain.bridge;
    spec.federation.genesis_format = format;
    let federations = [Federation::genesis(&spec, rules).expect("a federation")];
    Setting { spec, rules, federations }
}

impl Setting {
    fn utxo(&self, value: i64, transaction: u8, index: u32) -> Utxo {
        let script = self.federations[0].output_script().expect("a script");
        Utxo {
            value,
            script: script.into(),
            transaction: B256::repeat_byte(transaction),
            index,
            height: 0,
            coinbase: false,
        }
    }

    fn build(
        &self,
        utxos: &[Utxo],
        make: impl FnOnce(&mut ReleaseBuilder<'_>) -> Result<Release, BuildError>,
    ) -> Result<Release, BuildError> {
        make(&mut ReleaseBuilder {
            bitcoin: &self.spec.bitcoin,
            rules: self.rules,
            utxos: &utxos.to_vec().into(),
            keys: &mut FederationKeys(&self.federations),
            segwit: self.federations[0].format == FederationFormat::P2shP2wshErp,
            change: self.federations[0].address(&self.spec).expect("an address"),
            fee_per_kb: FEE_PER_KB,
        })
    }
}

#[test]
fn outputs_are_spent_by_id_and_index_until_they_suffice() {
    let setting = setting(FederationFormat::P2shErp);
    let utxos = [setting.utxo(50_000, 3, 0), setting.utxo(60_000, 2, 7), setting.utxo(70_000, 2, 1)];
    let release = setting.build(&utxos, |builder| builder.pay(&[(USER, 120_000)])).expect("a release");
    assert_eq!(release.input_values, [70_000, 60_000]);
    let outputs: Vec<_> = release.transaction.outputs.iter().map(|output| output.value).collect();
    assert_eq!(outputs[1], 10_000, "change");
    assert_eq!(outputs[0], 120_000 - release.fee().expect("a fee"), "the recipient pays");
    let all = setting.build(&utxos, |builder| builder.empty_to(USER)).expect("a release");
    assert_eq!(all.input_values, [50_000, 60_000, 70_000], "all are spent as they are stored");
}

#[test]
fn change_below_dust_is_raised_or_becomes_fee() {
    let setting = setting(FederationFormat::P2shP2wshErp);
    let utxos = [setting.utxo(1_000_100, 1, 0)];
    let paid = setting.build(&utxos, |builder| builder.pay(&[(USER, 1_000_000)])).expect("a release");
    let [recipient, change] = &paid.transaction.outputs[..] else { panic!("two outputs") };
    assert_eq!(change.value, 2_700);
    assert_eq!(recipient.value, 1_000_100 - 2_700 - paid.fee().expect("a fee"));

    // The remainder after the fee for two outputs goes to the fee, not to change.
    let plenty = [setting.utxo(5_000_000, 1, 0)];
    let funded = setting.build(&plenty, |builder| builder.fund(&[(USER, 1_000_000)])).expect("a release");
    let needed = 1_000_000 + funded.fee().expect("a fee");
    assert_eq!(funded.transaction.outputs[1].value, 5_000_000 - needed);
    let utxos = [setting.utxo(needed + 100, 1, 0)];
    let funded = setting.build(&utxos, |builder| builder.fund(&[(USER, 1_000_000)])).expect("a release");
    assert_eq!(funded.transaction.outputs.len(), 1);
    assert_eq!(funded.transaction.outputs[0].value, 1_000_000);
    let short = [setting.utxo(needed - 1, 1, 0)];
    let refused = setting.build(&short, |builder| builder.fund(&[(USER, 1_000_000)]));
    assert!(matches!(refused, Err(BuildError::InsufficientMoney)), "{refused:?}");
}

#[test]
fn outputs_of_coinbases_are_never_spent() {
    let setting = setting(FederationFormat::P2shErp);
    let coinbase = Utxo { coinbase: true, ..setting.utxo(1_000_000, 1, 0) };
    assert_eq!(balance(&[coinbase.clone(), setting.utxo(5, 2, 0)]).expect("a balance"), 5);
    let refused = setting.build(&[coinbase], |builder| builder.pay(&[(USER, 500_000)]));
    assert!(matches!(refused, Err(BuildError::InsufficientMoney)), "{refused:?}");
}

#[test]
fn impossible_amounts_and_strangers_outputs_end_the_call() {
    let setting = setting(FederationFormat::P2shErp);
    let too_much = 21_000_000 * 100_000_000 + 1;
    for value in [-2, too_much] {
        assert!(balance(&[setting.utxo(value, 1, 0)]).is_err());
        let refused = setting.build(&[], |builder| builder.pay(&[(USER, value)]));
        assert!(matches!(refused, Err(BuildError::Contract(_))), "{refused:?}");
    }
    let stranger = Utxo { script: USER.output_script(&setting.spec.bitcoin).into(), ..setting.utxo(1_000_000, 1, 0) };
    let refused = setting.build(&[stranger], |builder| builder.pay(&[(USER, 500_000)]));
    assert!(matches!(refused, Err(BuildError::Contract(_))), "{refused:?}");
}

#[test]
fn the_limit_of_length_is_measured_before_witnesses() {
    // 340 inputs with scripts of 259 bytes exceed 100,000 bytes, without scripts they do not.
    for (format, fits) in [(FederationFormat::P2shErp, false), (FederationFormat::P2shP2wshErp, true)] {
        let setting = setting(format);
        let utxos: Vec<_> = (0..340).map(|index| setting.utxo(100_000, 1, index)).collect();
        let built = setting.build(&utxos, |builder| builder.pay(&[(USER, 34_000_000)]));
        assert_eq!(built.is_ok(), fits, "{format:?}");
        assert!(fits || matches!(built, Err(BuildError::TooLarge)), "{format:?}");
    }
}
