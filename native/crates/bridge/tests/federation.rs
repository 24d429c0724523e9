//! Genesis federations: addresses, scripts, members (bridge.md §6.2).

mod support;

use rhizome_primitives::{Address, hex};
use support::{Call, MemoryState};

fn text(word_answer: &[u8]) -> String {
    let length = usize::from(word_answer[63]);
    String::from_utf8(word_answer[64..64 + length].to_vec()).expect("text")
}

#[test]
fn genesis_federations_have_the_published_addresses() {
    for (network, chain_id, address, size, threshold) in [
        ("main", 30, "39AHNvUmzaYgewA8yCtBtNsfRz7QD7ZJYi", 15, 8),
        ("testnet", 31, "2N1N5mdHWmRUfv49f7GnUeFfuyLcBQK7hj2", 4, 3),
        ("testnet2", 34, "2N1N5mdHWmRUfv49f7GnUeFfuyLcBQK7hj2", 4, 3),
        ("regtest", 33, "2MvQSG61B4LtKLECeo1dRDeDWXgJfnr3fC7", 3, 2),
    ] {
        let call = Call::new(support::spec(network, chain_id, |_| true), 10).local();
        let ask = |selector: [u8; 4]| {
            call.with(|context| rhizome_bridge::run(context, &mut MemoryState::default(), Some(&selector)))
                .expect("an answer")
                .expect("not void")
        };
        assert_eq!(text(&ask(hex!("6923fa85"))), address, "{network}");
        assert_eq!(ask(hex!("802ad4b6"))[31], size, "{network}");
        assert_eq!(ask(hex!("0fd47456"))[31], threshold, "{network}");
    }
}

#[test]
fn the_regtest_script_is_the_published_one() {
    let call = Call::new(support::regtest(), 10);
    let answer = call
        .with(|context| rhizome_bridge::run(context, &mut MemoryState::default(), Some(&hex!("1d73d5dd"))))
        .expect("an answer")
        .expect("not void");
    let script = hex!(
        "64522102cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1210362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a1242103c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db53ae6702f401b2755321029cecea902067992d52c38b28bf0bb2345bda9b21eca76b16a17c477a64e433012103284178e5fbcc63c54c3b38e3ef88adf2da6c526313650041b0ef955763634ebd2103ab0e2cd7ed158687fc13b88019990860cdb72b1f5777b58513312550ea1584bc2103b9fc46657cf72a1afa007ecf431de1cd27ff5cc8829fa625b66ca47b967e6b2454ae68"
    );
    assert_eq!(script.len(), 252);
    assert_eq!(answer[64..64 + script.len()], script);
}

#[test]
fn members_come_in_key_order_with_their_addresses() {
    for (network, addresses) in [
        (
            "main",
            &[
                "1888fa870b97a4845a6a1f7eee4ebb507dbe0967",
                "530aad5be57e9be2084881b1d84f2a30e896ae36",
                "0474f314fef5373fd2afaafdcd7a8bdec1ab4309",
                "2c40fc683ee04c1b918635005ae7c89e1eb7b1f1",
                "1e01385c6d522583575f60fee384f30405ffae01",
                "304660d1beeb0918b7b3f7657d8418686cb578b1",
                "e4945372d758650275e23fa90f754d0f67fa66e2",
                "abb1d944a0dc0ead5a36b31087bd1fc31726e674",
                "32c865f2dbf36ce6f4cfcb624b559ef98b33a2d1",
                "f006f6202e0c29ef2e3b1532d2307427864ed77a",
                "ee877101e4e5758930222e6605cbd0a19e8ad981",
                "67af698c927ae574fb43d45a50522c207f81100f",
                "0a1d7f3c50dae072b019eff0f306ae1613b56b3c",
                "571dde4b32017efaad8dc0c9fa9b748096c036a2",
                "f74b7e0d5bdd14eaedf725bb1549ce14abeb71dd",
            ][..],
        ),
        (
            "testnet",
            &[
                "4495768e683423a4299d6a7f02a0689a6ff5a0a4",
                "0345174501d5f6fc7926377b63317c4ad7215905",
                "13bcf2c2342b6eaa24119f9690aca0d718f384ff",
                "9a3bfdea2245738dd5f25453d13742350a4f1c6e",
            ],
        ),
        (
            "regtest",
            &[
                "6b045752f4d650a510a353bbf7e52988331e7f5b",
                "85845342b0d5260d516d6da5280a7df9a96d1925",
                "138161cda86b55c0de1bc3a0adef974633c85fbe",
            ],
        ),
    ] {
        let spec = support::spec(network, 33, |rule| rule.name() != "areBridgeTxsPaid");
        let rules = spec.rules_at(5);
        let mut state = MemoryState::default();
        let members =
            rhizome_bridge::federation::active_members(&spec, rules, &mut state, 5).expect("the genesis federation");
        let found: Vec<_> = members
            .iter()
            .map(|member| rhizome_bridge::federation::key::rsk_address(&member.rsk_key).expect("a point"))
            .collect();
        let listed: Vec<Address> = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        assert_eq!(found, listed);
        assert!(listed.iter().all(|sender| rhizome_bridge::is_free_transaction(&spec, rules, *sender)));
        assert!(!rhizome_bridge::is_free_transaction(&spec, rules, Address::repeat_byte(7)));
    }
}

#[test]
fn bridge_transactions_cost_once_they_are_paid() {
    let spec = support::spec("main", 30, |_| true);
    let sender = spec.bridge.authorisers.whitelist[0];
    assert!(!rhizome_bridge::is_free_transaction(&spec, spec.rules_at(1), sender));
    let early = support::spec("main", 30, |_| false);
    for group in [&early.bridge.authorisers.federation_change, &early.bridge.authorisers.fee_per_kb] {
        assert!(group.iter().all(|sender| rhizome_bridge::is_free_transaction(&early, early.rules_at(1), *sender)));
    }
}
