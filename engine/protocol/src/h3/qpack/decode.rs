//! Decodes a head's bytes to its fields (RFC 9204, section 4.5).

use super::table::STATIC;
use crate::h2::hpack::{integer, string};

/// The head needs fields that the server should have added before.
const DYNAMIC: &str = "QPACK refers to the dynamic table, for which our SETTINGS leave no room";
const BEYOND: &str = "an index that QPACK's static table does not have";

/// Passes each field of a head to `field`, name and value. `Err`: the error, ours or from `field`.
pub fn decode(
    mut block: &[u8],
    mut field: impl FnMut(&[u8], &[u8]) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    if integer::read(&mut block, 8)? != 0 {
        return Err(DYNAMIC);
    }
    // The base is where indices of the dynamic table begin: none may come.
    integer::read(&mut block, 7)?;
    let (mut name_text, mut value_text) = (Vec::new(), Vec::new());
    while let Some(&first) = block.first() {
        name_text.clear();
        value_text.clear();
        match first.leading_zeros() {
            // Section 4.5.2: a field of a table.
            0 => {
                if first & 0x40 == 0 {
                    return Err(DYNAMIC);
                }
                let (name, value) = *STATIC.get(integer::read(&mut block, 6)?).ok_or(BEYOND)?;
                field(name.as_bytes(), value.as_bytes())?;
            }
            // Section 4.5.4: a name of a table.
            1 => {
                if first & 0x10 == 0 {
                    return Err(DYNAMIC);
                }
                let (name, _) = *STATIC.get(integer::read(&mut block, 4)?).ok_or(BEYOND)?;
                field(name.as_bytes(), string(&mut block, 7, &mut value_text)?)?;
            }
            // Section 4.5.6: all in full.
            2 => {
                let name = string(&mut block, 3, &mut name_text)?;
                field(name, string(&mut block, 7, &mut value_text)?)?;
            }
            // Sections 4.5.3 and 4.5.5.
            _ => return Err(DYNAMIC),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{write_field, write_prefix};
    use super::*;
    use proptest::prelude::*;

    fn decoded(block: &[u8]) -> Result<Vec<(String, String)>, &'static str> {
        let mut fields = Vec::new();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        decode(block, |name, value| {
            fields.push((text(name), text(value)));
            Ok(())
        })?;
        Ok(fields)
    }

    #[test]
    fn the_example_of_the_rfc() {
        // Appendix B.1.
        let path = (":path".to_owned(), "/index.html".to_owned());
        assert_eq!(decoded(b"\0\0\x51\x0b/index.html"), Ok(vec![path]));
    }

    #[test]
    fn what_needs_the_dynamic_table_is_refused_by_name() {
        // A count of insertions, an index, a name by index, and both behind the base.
        for block in [&b"\x02\0"[..], b"\0\0\x80", b"\0\0\x40\x01x", b"\0\0\x10", b"\0\0\0\x01x"] {
            assert_eq!(decoded(block), Err(DYNAMIC), "{block:x?}");
        }
        assert_eq!(decoded(b"\0\0\xff\x24"), Err(BEYOND));
    }

    proptest! {
        #[test]
        fn fields_come_back(
            fields in prop::collection::vec(("[a-z:]{1,9}|:status|server|:method", "[ -~]{0,40}|200|GET", any::<bool>()), 0..9)
        ) {
            let mut block = Vec::new();
            write_prefix(&mut block);
            for (name, value, is_secret) in &fields {
                write_field(&mut block, name, value, *is_secret);
            }
            let fields: Vec<_> = fields.into_iter().map(|(name, value, _)| (name, value)).collect();
            prop_assert_eq!(decoded(&block), Ok(fields));
        }

        #[test]
        fn no_bytes_are_too_odd(block in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = decoded(&block);
        }
    }
}
