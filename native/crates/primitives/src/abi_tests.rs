use super::*;

fn words(words: &[&str]) -> Vec<u8> {
    words.iter().flat_map(|word| crate::hex::decode(format!("{word:0>64}")).expect("hex")).collect()
}

fn text(bytes: &[u8]) -> String {
    decode_utf8(bytes)
}

#[test]
fn no_payload_reads_as_zeros_and_empty_arrays_only() {
    let types = [AbiType::Array(&AbiType::Bytes), AbiType::Int, AbiType::Bool, AbiType::Address];
    let zeros =
        [AbiValue::Array(Vec::new()), AbiValue::int(0), AbiValue::Bool(false), AbiValue::Address(Address::ZERO)];
    assert_eq!(decode(&types, &[]).as_deref(), Ok(&zeros[..]));
    assert_eq!(decode(&[AbiType::Int, AbiType::Array(&AbiType::Bytes)], &[]), Err(AbiError));
    for kind in [AbiType::Bytes, AbiType::String, AbiType::Bytes32] {
        assert_eq!(decode(&[kind], &[]), Err(AbiError));
    }
}

#[test]
fn offsets_and_lengths_are_the_low_32_bits_signed() {
    let dirty = words(&["ff00000000000000020", "1ff00000001", "aa"]);
    let mut payload = dirty.clone();
    payload[64] = 0xab;
    assert_eq!(decode(&[AbiType::Bytes], &payload), Ok(vec![AbiValue::Bytes(Bytes::from_static(&[0xab]))]));
    for bad in [words(&["ffffffe0", "0"]), words(&["20", "ffffffff"]), words(&["20", "7fffffff"]), words(&["20", "1"])]
    {
        assert_eq!(decode(&[AbiType::Bytes], &bad), Err(AbiError));
    }
    assert_eq!(decode(&[AbiType::Int], &[0; 31]), Err(AbiError));
}

#[test]
fn a_cut_head_of_a_dynamic_argument_is_filled_with_zeros() {
    assert_eq!(
        decode(&[AbiType::Int, AbiType::Array(&AbiType::Int)], &words(&["0"])),
        Ok(vec![AbiValue::int(0), AbiValue::Array(Vec::new())])
    );
    assert_eq!(decode(&[AbiType::Int, AbiType::Array(&AbiType::Int)], &[0; 31]), Err(AbiError));
}

#[test]
fn arrays_count_from_their_first_head() {
    let payload = words(&["20", "2", "40", "60", "0", "0"]);
    let empty = AbiValue::Bytes(Bytes::new());
    assert_eq!(
        decode(&[AbiType::Array(&AbiType::Bytes)], &payload),
        Ok(vec![AbiValue::Array(vec![empty.clone(), empty])])
    );
    let ints = words(&["20", "2", "1", "2"]);
    assert_eq!(
        decode(&[AbiType::Array(&AbiType::Int)], &ints),
        Ok(vec![AbiValue::Array(vec![AbiValue::int(1), AbiValue::int(2)])])
    );
    assert_eq!(decode(&[AbiType::Array(&AbiType::Int)], &words(&["20", "41"])), Err(AbiError));
    assert_eq!(decode(&[AbiType::Array(&AbiType::Int)], &words(&["20", "ffffffff"])), Err(AbiError));
}

#[test]
fn booleans_and_addresses_keep_the_quirks() {
    let ones = "f".repeat(64);
    let payload = words(&["100000000", &ones]);
    assert_eq!(
        decode(&[AbiType::Bool, AbiType::Address], &payload),
        Ok(vec![AbiValue::Bool(false), AbiValue::Address(Address::with_last_byte(0xff))])
    );
    assert_eq!(exact_i64(U256::MAX), Some(-1));
    assert_eq!(exact_i64(U256::from(u64::MAX)), None);
}

#[test]
fn malformed_text_is_replaced_sequence_by_sequence() {
    assert_eq!(text(b"a\xed\xa0\x80b"), "a\u{fffd}b");
    assert_eq!(text(b"\xed\xa0"), "\u{fffd}");
    assert_eq!(text(b"\xe1\x80"), "\u{fffd}");
    assert_eq!(text(b"\xf0\x9f\x98z"), "\u{fffd}z");
    assert_eq!(text(b"\xc0\x80"), "\u{fffd}\u{fffd}");
    assert_eq!(text("ok é 😀".as_bytes()), "ok é 😀");
}

#[test]
fn empty_contents_take_a_word_of_zeros() {
    assert_eq!(encode(&[AbiValue::Bytes(Bytes::new())]), words(&["20", "0", "0"]));
    assert_eq!(encode(&[AbiValue::Array(Vec::new())]), words(&["20", "0"]));
    let strings = AbiValue::Array(vec![AbiValue::String(String::new()), AbiValue::String("a".into())]);
    let mut expected = words(&["2a", "40", "2", "40", "80", "0", "0", "1", "0"]);
    expected[8 * 32] = b'a';
    assert_eq!(encode(&[AbiValue::int(42), strings]), expected);
    assert_eq!(encode(&[AbiValue::int(-1)]), [0xff; 32]);
}

#[test]
fn events_put_the_indexed_fields_into_topics() {
    let receiver = Address::repeat_byte(7);
    let signature = "pegin_btc(address,bytes32,int256,int256)";
    let indexed = [AbiValue::Address(receiver), AbiValue::Bytes32(B256::repeat_byte(1))];
    let log = event_log(Address::ZERO, signature, &indexed, &[AbiValue::int(5), AbiValue::int(1)]);
    let first = crate::b256!("44cdc782a38244afd68336ab92a0b39f864d6c0b2a50fa1da58cafc93cd2ae5a");
    assert_eq!(log.topics, [first, receiver.into_word(), B256::repeat_byte(1)]);
    assert_eq!(log.data, words(&["5", "1"]));
    assert_eq!(selector("getFederationSize()"), [0x80, 0x2a, 0xd4, 0xb6]);
}

/// A reproducible stream of numbers.
fn numbers() -> impl FnMut(u64) -> u64 {
    let mut state = 11u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn checks_what_decodes() {
    let kinds = [
        &[AbiType::Int][..],
        &[AbiType::Bytes],
        &[AbiType::Bytes32, AbiType::String],
        &[AbiType::Int, AbiType::Array(&AbiType::Bytes)],
        &[AbiType::Array(&AbiType::Bytes32)],
        &[AbiType::Array(&AbiType::Address), AbiType::Bool],
        &[AbiType::Array(&AbiType::String)],
    ];
    let mut number = numbers();
    let mut decoded = 0;
    for round in 0..60_000 {
        let mut payload = Vec::new();
        for _ in 0..number(9) {
            // Mostly offsets, lengths and counts that may fit, sometimes ones that do not.
            let word = match number(8) {
                0 => U256::MAX,
                1 => U256::from(number(1 << 33)),
                2..=4 => U256::from(number(9) * 32),
                _ => U256::from(number(5)),
            };
            payload.extend_from_slice(&word.to_be_bytes::<32>());
        }
        payload.truncate(payload.len().saturating_sub(number(4) as usize % 3 * 7));
        let types = kinds[round % kinds.len()];
        let values = decode(types, &payload);
        assert_eq!(
            check(types, &payload),
            values.as_ref().map(|_| ()).map_err(|error| *error),
            "{types:?} {payload:?}"
        );
        let Ok(values) = values else { continue };
        for (index, value) in values.iter().enumerate() {
            let elements = match value {
                AbiValue::Array(elements) => Some(elements.len()),
                _ => None,
            };
            assert_eq!(count(types, index, &payload), elements, "{types:?} {payload:?}");
        }
        decoded += 1;
    }
    assert!((10_000..50_000).contains(&decoded), "{decoded} of 60,000 decode");
}

#[test]
fn a_check_reads_no_contents() {
    // The time to check a megabyte of malformed text does not depend on the text: nothing of it is converted or copied.
    let mut payload = [U256::from(32), U256::from(1 << 20)].map(|word| word.to_be_bytes::<32>()).concat();
    payload.resize(payload.len() + (1 << 20), 0xff);
    let reader = Reader::new(&payload).expect("short enough");
    assert_eq!(
        reader.arguments(&[AbiType::Bytes], |kind, at| reader.pass(kind, at)).collect::<Result<(), _>>(),
        Ok(())
    );
    assert!(reader.copy.get().is_none());
}
