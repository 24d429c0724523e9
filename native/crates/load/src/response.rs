//! Reading of HTTP answers from a byte stream.

use std::io;

/// An answer while it comes in. The bytes of a finished one are given up by [`ResponseReader::next`].
#[derive(Default)]
pub(crate) struct ResponseReader {
    buffer: Vec<u8>,
    head: Option<Head>,
    /// Where the next chunk begins, in an answer of chunks.
    chunk: usize,
}

#[derive(Clone, Copy)]
struct Head {
    /// Where the body begins.
    body: usize,
    /// Length of the body; none when it comes in chunks.
    length: Option<usize>,
    succeeded: bool,
    /// Whether the server ends the connection after the answer.
    closes: bool,
}

/// A whole answer.
pub(crate) struct Response {
    pub(crate) closes: bool,
    /// The beginning of the body when it carries an error.
    pub(crate) failure: Option<String>,
}

/// Bytes of the body in which a JSON-RPC error shows.
const LOOKED_AT: usize = 64;
const KEPT_OF_FAILURE: usize = 200;

impl ResponseReader {
    /// Takes what came in.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Forgets an answer that will not be finished.
    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
        self.head = None;
    }

    /// The answer once all of it is there.
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
        let failed = !head.succeeded || has_error(body);
        let failure = failed.then(|| String::from_utf8_lossy(&body[..body.len().min(KEPT_OF_FAILURE)]).into_owned());
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

/// Whether an answer says near its beginning that it is an error.
pub(crate) fn has_error(body: &[u8]) -> bool {
    body[..body.len().min(LOOKED_AT)].windows(8).any(|part| part == b"\"error\":")
}

fn read_head(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(body) = response.parse(bytes).map_err(|_| malformed("head"))? else {
        return Ok(None);
    };
    let mut length = None;
    let mut chunked = false;
    let mut closes = response.version == Some(0);
    for header in response.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            length = std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse().ok());
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            chunked = header.value.eq_ignore_ascii_case(b"chunked");
        } else if header.name.eq_ignore_ascii_case("connection") {
            closes = header.value.eq_ignore_ascii_case(b"close");
        }
    }
    if length.is_none() && !chunked {
        return Err(malformed("body without a length"));
    }
    let succeeded = response.code.is_some_and(|code| code < 400);
    Ok(Some(Head { body, length: if chunked { None } else { length }, succeeded, closes }))
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

    /// Feeds the bytes one by one and counts the answers.
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
        assert_eq!(found[0].failure.as_deref(), Some(body));
        let refused = feed("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno");
        assert_eq!(refused[0].failure.as_deref(), Some("no"));
    }

    #[test]
    fn refuses_what_is_no_answer() {
        let mut reader = ResponseReader::default();
        reader.extend(b"HTTP/1.1 200 OK\r\n\r\n");
        assert!(reader.next().is_err());
    }
}
