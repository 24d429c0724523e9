//! Objects inside tagged ones and in the indefinite form, which the reference's ASN.1 reader reads from nested streams
//! (bridge.md §9).
//!
//! An indefinite form ends with two zero bytes. They are looked for between objects only, and no longer once an object
//! has left some of its contents unread.

use super::object::{
    CONSTRUCTED, Class, DerError, MAX_DEPTH, Object, class, constructed, length, long_tag_number, primitive,
};
use super::tag;

/// One stream, which reads from the previous one.
enum Layer {
    Definite {
        remaining: usize,
    },
    Indefinite {
        /// The next two bytes, read ahead.
        next: [u8; 2],
        looks_for_end: bool,
        ended: bool,
    },
}

/// Reads objects through nested streams.
pub(super) struct Streams<'a, 'b> {
    rest: &'b mut &'a [u8],
    layers: Vec<Layer>,
    /// Lengths in the long form must be below it.
    limit: usize,
    /// Number of enclosing objects.
    depth: u32,
}

impl<'a, 'b> Streams<'a, 'b> {
    /// Reads the rest, which is the contents of a tagged object.
    pub(super) fn contents(rest: &'b mut &'a [u8], depth: u32) -> Result<(), DerError> {
        let length = rest.len();
        let mut streams = Self { rest, layers: Vec::new(), limit: length, depth };
        streams.enter(length);
        streams.objects().map(drop)
    }

    /// An object in the indefinite form, whose tag and length have been read.
    pub(super) fn indefinite(
        rest: &'b mut &'a [u8],
        first: u8,
        number: i32,
        limit: usize,
        depth: u32,
    ) -> Result<Object<'a>, DerError> {
        Self { rest, layers: Vec::new(), limit, depth }.in_indefinite(first, number)
    }

    fn below(&mut self, level: usize) -> Result<u8, DerError> {
        if level > 0 {
            return self.read(level - 1)?.ok_or(DerError);
        }
        let (first, rest) = self.rest.split_first().ok_or(DerError)?;
        *self.rest = rest;
        Ok(*first)
    }

    /// The next byte of a stream; None at its end.
    fn read(&mut self, level: usize) -> Result<Option<u8>, DerError> {
        if let Layer::Definite { remaining } = self.layers[level] {
            if remaining == 0 {
                return Ok(None);
            }
            let byte = self.below(level)?;
            self.layers[level] = Layer::Definite { remaining: remaining - 1 };
            if remaining == 1 {
                self.look_for_end(level, true);
            }
            return Ok(Some(byte));
        }
        if self.ends(level) {
            return Ok(None);
        }
        let byte = self.below(level)?;
        Ok(match &mut self.layers[level] {
            Layer::Indefinite { next, .. } => {
                let [first, second] = *next;
                *next = [second, byte];
                Some(first)
            }
            Layer::Definite { .. } => None,
        })
    }

    /// True when a stream of the indefinite form is at its end.
    fn ends(&mut self, level: usize) -> bool {
        let Layer::Indefinite { next, looks_for_end, ended } = &mut self.layers[level] else { return false };
        if *ended || !*looks_for_end || *next != [0, 0] {
            return *ended;
        }
        *ended = true;
        self.look_for_end(level, true);
        true
    }

    /// Tells the underlying stream whether to look for its end.
    fn look_for_end(&mut self, level: usize, looks: bool) {
        let Some(parent) = level.checked_sub(1) else { return };
        if let Layer::Indefinite { looks_for_end, .. } = &mut self.layers[parent] {
            *looks_for_end = looks;
            self.ends(parent);
        }
    }

    fn enter(&mut self, length: usize) {
        self.layers.push(Layer::Definite { remaining: length });
        if length == 0 {
            self.look_for_end(self.layers.len() - 1, true);
        }
    }

    fn top(&self) -> usize {
        self.layers.len() - 1
    }

    fn byte(&mut self) -> Result<u8, DerError> {
        self.read(self.top())?.ok_or(DerError)
    }

    /// All objects of the last stream.
    fn objects(&mut self) -> Result<Vec<Object<'a>>, DerError> {
        let mut found = Vec::new();
        while let Some(object) = self.object()? {
            found.push(object);
        }
        Ok(found)
    }

    fn object(&mut self) -> Result<Option<Object<'a>>, DerError> {
        let top = self.top();
        let Some(first) = self.read(top)? else { return Ok(None) };
        self.look_for_end(top + 1, false);
        let number = long_tag_number(first, || self.byte())?;
        let Some(length) = length(self.limit, || self.byte())? else {
            return self.in_indefinite(first, number).map(Some);
        };
        self.enter(length);
        let outer = std::mem::replace(&mut self.limit, length);
        let object = self.definite(first, number, length);
        self.limit = outer;
        self.layers.pop();
        object.map(Some)
    }

    /// The object whose contents are in the last stream.
    fn definite(&mut self, first: u8, number: i32, length: usize) -> Result<Object<'a>, DerError> {
        match class(first) {
            Class::Application => self.rest_of_stream().map(|_| Object::Other),
            Class::Tagged if first & CONSTRUCTED == 0 => self.rest_of_stream().map(|_| Object::Tagged(number)),
            Class::Tagged => self.nested().map(|_| Object::Tagged(number)),
            Class::Universal if first & CONSTRUCTED != 0 => constructed(number, self.nested()?),
            Class::Universal => {
                let taken = match number {
                    tag::NULL => Vec::new(),
                    tag::BMP_STRING => (0..length & !1).map(|_| self.byte()).collect::<Result<_, _>>()?,
                    _ => self.rest_of_stream()?,
                };
                primitive(number, length, &taken)?;
                Ok(match number {
                    // The values of inner numbers do not matter.
                    tag::INTEGER => Object::Integer(&[]),
                    tag::OCTET_STRING => Object::OctetString,
                    tag::OBJECT_IDENTIFIER => Object::Identifier,
                    _ => Object::Other,
                })
            }
        }
    }

    fn rest_of_stream(&mut self) -> Result<Vec<u8>, DerError> {
        let mut bytes = Vec::new();
        while let Some(byte) = self.read(self.top())? {
            bytes.push(byte);
        }
        Ok(bytes)
    }

    fn nested(&mut self) -> Result<Vec<Object<'a>>, DerError> {
        if self.depth >= MAX_DEPTH {
            return Err(DerError);
        }
        self.depth += 1;
        let found = self.objects();
        self.depth -= 1;
        found
    }

    fn in_indefinite(&mut self, first: u8, number: i32) -> Result<Object<'a>, DerError> {
        if first & CONSTRUCTED == 0 {
            return Err(DerError);
        }
        let level = self.layers.len();
        let next = [self.below(level)?, self.below(level)?];
        self.layers.push(Layer::Indefinite { next, looks_for_end: true, ended: false });
        self.ends(level);
        let items = self.nested();
        self.layers.pop();
        match class(first) {
            Class::Application => items.map(|_| Object::Other),
            Class::Tagged => items.map(|_| Object::Tagged(number)),
            // In this form, no sequence counts as one that holds a signature.
            Class::Universal => constructed(number, items?).map(|object| match object {
                Object::Sequence(_) => Object::Other,
                object => object,
            }),
        }
    }
}
