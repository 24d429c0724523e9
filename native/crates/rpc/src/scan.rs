//! Finding the members of ordinary requests.

/// Most parameters of a request that is read here.
const MOST_PARAMS: usize = 3;

/// Structures in each other that are followed.
const MOST_DEPTH: usize = 64;

/// Digits of an id that every JSON reader takes for the same number.
const MOST_ID_DIGITS: usize = 15;

/// Contents of positional parameters that are all plain strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Params<'a> {
    texts: [&'a [u8]; MOST_PARAMS],
    count: usize,
}

impl<'a> Params<'a> {
    /// The contents, without quotes.
    pub fn texts(&self) -> &[&'a [u8]] {
        &self.texts[..self.count]
    }
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// JSON text: a plain string with its quotes, or an integer.
    pub id: &'a [u8],
    /// Name, without quotes.
    pub method: &'a [u8],
    /// None when the member is missing.
    pub params: Params<'a>,
}

/// One request whose parameters are found, not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawRequest<'a> {
    /// JSON text: a plain string with its quotes, or an integer.
    pub id: &'a [u8],
    /// Name, without quotes.
    pub method: &'a [u8],
    /// Text from bracket to bracket, empty when the member is missing. Its strings are plain; it may be no JSON.
    pub params: &'a [u8],
}

/// Goes over JSON text. Everything that is not ordinary gives None: escapes, other members, members
/// twice, odd ids, parameters that are no plain strings. What is found is valid JSON, but for the parameters of
/// [`Scanner::raw_request`].
pub struct Scanner<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Scanner<'a> {
    /// At the start of the text.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Takes the next byte that is no white space.
    pub fn token(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.position)?;
            self.position += 1;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
        }
    }

    /// Takes a request with its braces.
    pub fn request(&mut self) -> Option<Request<'a>> {
        let (id, method, params) = self.members(Self::rest_of_params)?;
        Some(Request { id, method, params: params.unwrap_or_default() })
    }

    /// Takes a request with its braces, whatever its parameters are: of those only brackets and plain strings are
    /// looked at, so that they may be no JSON.
    pub fn raw_request(&mut self) -> Option<RawRequest<'a>> {
        let (id, method, params) = self.members(Self::rest_of_array)?;
        Some(RawRequest { id, method, params: params.unwrap_or_default() })
    }

    fn members<P>(&mut self, take_params: impl Fn(&mut Self) -> Option<P>) -> Option<(&'a [u8], &'a [u8], Option<P>)> {
        if self.token()? != b'{' {
            return None;
        }
        let (mut has_version, mut id, mut method, mut params) = (false, None, None, None);
        loop {
            if self.token()? != b'"' {
                return None;
            }
            let name = self.plain_string()?;
            if self.token()? != b':' {
                return None;
            }
            let first = self.token()?;
            match name {
                b"jsonrpc" if !has_version && first == b'"' => {
                    self.plain_string()?;
                    has_version = true;
                }
                b"id" if id.is_none() => id = Some(self.id(first)?),
                b"method" if method.is_none() && first == b'"' => method = Some(self.plain_string()?),
                b"params" if params.is_none() && first == b'[' => params = Some(take_params(self)?),
                _ => return None,
            }
            match self.token()? {
                b',' => {}
                b'}' => return Some((id?, method?, params)),
                _ => return None,
            }
        }
    }

    /// The rest of an array after its first bracket, all of it: brackets outside strings are counted.
    fn rest_of_array(&mut self) -> Option<&'a [u8]> {
        let start = self.position - 1;
        let mut depth = 1;
        while depth > 0 {
            let byte = *self.bytes.get(self.position)?;
            self.position += 1;
            match byte {
                b'"' => {
                    self.plain_string()?;
                }
                b'[' | b'{' if depth == MOST_DEPTH => return None,
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        (self.bytes[self.position - 1] == b']').then(|| &self.bytes[start..self.position])
    }

    /// Takes a plain string with its quotes: what is between them.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        if self.token()? == b'"' { self.plain_string() } else { None }
    }

    /// Takes an array of plain strings with its brackets.
    pub fn params(&mut self) -> Option<Params<'a>> {
        if self.token()? == b'[' { self.rest_of_params() } else { None }
    }

    fn rest_of_params(&mut self) -> Option<Params<'a>> {
        let mut params = Params::default();
        let mut next = self.token()?;
        if next == b']' {
            return Some(params);
        }
        loop {
            if next != b'"' || params.count == MOST_PARAMS {
                return None;
            }
            params.texts[params.count] = self.plain_string()?;
            params.count += 1;
            match self.token()? {
                b',' => next = self.token()?,
                b']' => return Some(params),
                _ => return None,
            }
        }
    }

    /// The rest of a string of printable ASCII without escapes, after its first quote.
    fn plain_string(&mut self) -> Option<&'a [u8]> {
        let start = self.position;
        let rest = &self.bytes[start..];
        let length = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || !(b' '..=b'~').contains(&byte))?;
        self.position = start + length + 1;
        (rest[length] == b'"').then(|| &rest[..length])
    }

    /// A plain string or a small integer that begins with the byte before.
    fn id(&mut self, first: u8) -> Option<&'a [u8]> {
        let start = self.position - 1;
        if first == b'"' {
            self.plain_string()?;
            return Some(&self.bytes[start..self.position]);
        }
        let digits_start = if first == b'-' { self.position } else { start };
        let digits = self.bytes[digits_start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.position = digits_start + digits;
        let leading_zero = digits > 1 && self.bytes[digits_start] == b'0';
        (1..=MOST_ID_DIGITS).contains(&digits).then_some(())?;
        (!leading_zero).then(|| &self.bytes[start..self.position])
    }
}
