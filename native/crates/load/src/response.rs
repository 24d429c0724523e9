//! Parses HTTP responses from a byte stream.

use std::io;

/// Parser of a response. [`ResponseReader::next`] drops the bytes of a finished one.
#[derive(Default)]
pub(crate) struct ResponseReader {
    buffer: Vec<u8>,
    head: Option<Head>,
    /// Offset of the next chunk, in a chunked response.
    chunk: usize,
}

#[derive(Clone, Copy)]
struct Head {
    /// Offset of the body.
    body: usize,
    /// Length of the body; None when it is chunked.
    length: Option<usize>,
    code: u16,
    /// True when it has a `Retry-After` header.
    retry_after: bool,
    /// True when the server closes the connection after the response.
    closes: bool,
}

/// A complete response.
pub(crate) struct Response {
    pub(crate) closes: bool,
    /// The failure; None for a result.
    pub(crate) failure: Option<Failure>,
}

/// A response without a result.
pub(crate) struct Failure {
    /// The beginning of the body.
    pub(crate) text: String,
    /// True when it is a proper refusal of an overloaded server: HTTP 429 with `Retry-After`, or JSON-RPC -32005 with
    /// another status.
    pub(crate) refusal: bool,
}

impl Failure {
    /// The failure in a response on a connection without HTTP statuses.
    pub(crate) fn of_message(body: &[u8]) -> Option<Self> {
        has_error(body).then(|| Self { text: beginning(body), refusal: is_limit(body) })
    }
}

/// Bytes of the body in which a JSON-RPC error must appear.
const ERROR_PREFIX_BYTES: usize = 80;
const MAX_FAILURE_BYTES: usize = 200;
const TOO_MANY_REQUESTS: u16 = 429;

impl ResponseReader {
    /// Appends received bytes.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Drops a response that will not be completed.
    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
        self.head = None;
    }

    /// The response once it is complete.
    pub(crate) fn next(&mut self) -> io::Result<Option<Response>> {
        if self.head.is_none() {
            self.head = read_head(&self.buffer)?;
            self.chunk = self.head.map_or(0, |head| head.body);
        }
        let Some(head) = self.head else { return Ok(None) };
        let end = match head.length {
            Some(length) => Some(head.body + length).filter(|end| self.buffer.len() >= *end),
            None => self.end_of_chunks()?,
        };
        let Some(end) = end else { return Ok(None) };
        let body = &self.buffer[head.body..end];
        let failure = (head.code >= 400 || has_error(body)).then(|| Failure {
            text: beginning(body),
            refusal: if head.code == TOO_MANY_REQUESTS { head.retry_after } else { is_limit(body) },
        });
        self.buffer.drain(..end);
        self.head = None;
        Ok(Some(Response { closes: head.closes, failure }))
    }

    fn end_of_chunks(&mut self) -> io::Result<Option<usize>> {
        loop {
            let Some(rest) = self.buffer.get(self.chunk..) else { return Ok(None) };
            let httparse::Status::Complete((line, size)) =
                httparse::parse_chunk_size(rest).map_err(|_| malformed("chunk"))?
            else {
                return Ok(None);
            };
            let end = self.chunk + line + size as usize + 2;
            if size == 0 {
                return Ok(Some(end).filter(|end| self.buffer.len() >= *end));
            }
            self.chunk = end;
        }
    }
}

/// True when a response has an error near its beginning.
pub(crate) fn has_error(body: &[u8]) -> bool {
    body[..body.len().min(ERROR_PREFIX_BYTES)].windows(8).any(|part| part == b"\"error\":")
}

/// True when an error says that a limit is exceeded.
fn is_limit(body: &[u8]) -> bool {
    body[..body.len().min(ERROR_PREFIX_BYTES)].windows(6).any(|part| part == b"-32005")
}

fn beginning(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(MAX_FAILURE_BYTES)]).into_owned()
}

fn read_head(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(body) = response.parse(bytes).map_err(|_| malformed("head"))? else {
        return Ok(None);
    };
    let mut length = None;
    let mut chunked = false;
    let mut retry_after = false;
    let mut closes = response.version == Some(0);
    for header in response.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            length = std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse().ok());
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            chunked = header.value.eq_ignore_ascii_case(b"chunked");
        } else if header.name.eq_ignore_ascii_case("connection") {
            closes = header.value.eq_ignore_ascii_case(b"close");
        } else if header.name.eq_ignore_ascii_case("retry-after") {
            retry_after = true;
        }
    }
    if length.is_none() && !chunked {
        return Err(malformed("body without a length"));
    }
    let code = response.code.unwrap_or(0);
    Ok(Some(Head { body, length: if chunked { None } else { length }, code, retry_after, closes }))
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed HTTP answer: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x21\"}";

    fn whole() -> String {
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{ANSWER}", ANSWER.len())
    }

    /// Feeds the bytes one by one and returns the responses.
    fn feed(text: &str) -> Vec<Response> {
        let mut reader = ResponseReader::default();
        let mut found = Vec::new();
        for byte in text.bytes() {
            reader.extend(&[byte]);
            found.extend(reader.next().expect("well formed"));
        }
        assert!(reader.buffer.is_empty(), "bytes are left");
        found
    }

    #[test]
    fn reads_answers_that_come_in_pieces() {
        let found = feed(&whole().repeat(2));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|answer| answer.failure.is_none() && !answer.closes));
    }

    #[test]
    fn reads_answers_of_chunks() {
        let (first, second) = ANSWER.split_at(17);
        let chunked = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
            first.len(),
            second.len()
        );
        assert_eq!(feed(&format!("{chunked}{}", whole())).len(), 2);
    }

    #[test]
    fn sees_errors_and_the_end_of_the_connection() {
        let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602}}";
        let found =
            feed(&format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        assert!(found[0].closes);
        assert_eq!(found[0].failure.as_ref().map(|failure| failure.text.as_str()), Some(body));
        let busy = feed("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno");
        assert!(busy[0].failure.as_ref().is_some_and(|failure| failure.text == "no" && !failure.refusal));
    }

    #[test]
    fn tells_refusals_that_say_when_to_come_back() {
        let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32005}}";
        let is_refusal = |head: &str| {
            let found = feed(&format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
            found[0].failure.as_ref().is_some_and(|failure| failure.refusal)
        };
        assert!(is_refusal("429 Too Many Requests\r\nRetry-After: 1"));
        assert!(!is_refusal("429 Too Many Requests"));
        assert!(is_refusal("200 OK"));
        assert!(Failure::of_message(body.as_bytes()).is_some_and(|failure| failure.refusal));
    }

    #[test]
    fn refuses_what_is_no_answer() {
        let mut reader = ResponseReader::default();
        reader.extend(b"HTTP/1.1 200 OK\r\n\r\n");
        assert!(reader.next().is_err());
    }
}
