//! Compares our HPACK with that of the `loona-hpack` crate: heads of random fields, under tables of
//! random sizes that change between the heads.

use loona_hpack::{Decoder as TheirDecoder, Encoder as TheirEncoder};
use proptest::prelude::*;
use volley_protocol::h2::hpack::{
    Decoder, Found, Indexing, TABLE_SIZE, find, write_indexed, write_literal, write_table_size,
};

type Fields = Vec<(String, String)>;

fn field() -> impl Strategy<Value = (String, String)> {
    let known = [":status", ":method", "date", "server", "x-a", "content-length", "set-cookie"];
    let name = prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(String::from),
        1 => "[a-z-]{1,20}",
    ];
    let value =
        prop_oneof!["[a-c]{0,2}", "GET|200|404", "[ -~]{0,60}", "\\PC{0,20}", "[x]{900,1100}"];
    (name, value)
}

fn heads() -> impl Strategy<Value = Vec<(Option<usize>, Fields)>> {
    let size = prop::option::weighted(0.2, 0..=TABLE_SIZE);
    prop::collection::vec((size, prop::collection::vec(field(), 1..8)), 1..20)
}

fn ours(decoder: &mut Decoder, block: &[u8]) -> Result<Fields, &'static str> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut fields = Vec::new();
    decoder.decode(block, |name, value| {
        fields.push((text(name), text(value)));
        Ok(())
    })?;
    Ok(fields)
}

fn theirs(decoder: &mut TheirDecoder<'_>, block: &[u8]) -> Option<Fields> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok();
    let fields = decoder.decode(block).ok()?;
    fields.into_iter().map(|(name, value)| Some((text(name)?, text(value)?))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn we_decode_what_they_encode(heads in heads()) {
        let (mut encoder, mut decoder) = (TheirEncoder::new(), Decoder::default());
        for (size, fields) in &heads {
            let mut block = Vec::new();
            if let Some(size) = size {
                encoder.set_max_table_size(*size);
                write_table_size(&mut block, *size);
            }
            let pairs = fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            encoder.encode_into(pairs, &mut block).unwrap();
            prop_assert_eq!(ours(&mut decoder, &block), Ok(fields.clone()));
        }
    }

    #[test]
    fn they_decode_what_we_write(heads in heads(), choices in prop::collection::vec(0..3, 200)) {
        let (mut decoder, mut their_decoder) = (Decoder::default(), TheirDecoder::new());
        let mut choices = choices.iter().cycle();
        for (size, fields) in &heads {
            let mut block = Vec::new();
            if let Some(size) = size {
                write_table_size(&mut block, *size);
            }
            for (name, value) in fields {
                match (find(name, value), choices.next()) {
                    (Found::Field(index), _) => write_indexed(&mut block, index),
                    (_, Some(0)) => write_literal(&mut block, Indexing::Added, name, value),
                    (_, Some(1)) => write_literal(&mut block, Indexing::Without, name, value),
                    _ => write_literal(&mut block, Indexing::Never, name, value),
                }
            }
            prop_assert_eq!(theirs(&mut their_decoder, &block), Some(fields.clone()));
            prop_assert_eq!(ours(&mut decoder, &block), Ok(fields.clone()));
        }
    }

    /// Bytes that are valid for us have the same meaning for the crate.
    #[test]
    fn random_bytes_have_one_meaning(
        blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..5),
    ) {
        let (mut decoder, mut their_decoder) = (Decoder::default(), TheirDecoder::new());
        their_decoder.set_max_allowed_table_size(TABLE_SIZE);
        for block in blocks {
            let mut fields: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            let decoded = decoder.decode(&block, |name, value| {
                fields.push((name.to_vec(), value.to_vec()));
                Ok(())
            });
            // The crate refuses a head that consists only of a change of the table's size.
            if decoded.is_err() || fields.is_empty() {
                return Ok(());
            }
            prop_assert_eq!(their_decoder.decode(&block).ok(), Some(fields));
        }
    }
}
