//! Connections with at most one request in flight.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};

use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::address::Address;
use crate::response::{Failure, ResponseReader};

/// Requests in wire format.
pub(crate) enum Requests {
    Http(Vec<Vec<u8>>),
    WebSocket(Vec<Message>),
}

impl Requests {
    /// Requests for an address, or alternately for other paths of its server, over HTTP with more headers.
    pub(crate) fn new(address: &Address, paths: &[String], headers: &[String], bodies: Vec<String>) -> Self {
        if address.web_socket {
            return Self::WebSocket(bodies.into_iter().map(Message::text).collect());
        }
        let host = &address.host;
        let headers: String = headers.iter().flat_map(|line| [line.as_str(), "\r\n"]).collect();
        let request = |(index, body): (usize, String)| {
            let path = if paths.is_empty() { &address.path } else { &paths[index % paths.len()] };
            format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .into_bytes()
        };
        Self::Http(bodies.into_iter().enumerate().map(request).collect())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Http(requests) => requests.len(),
            Self::WebSocket(requests) => requests.len(),
        }
    }
}

/// The outcome of the request in flight.
pub(crate) enum Outcome {
    Waiting,
    Answered { failure: Option<Failure> },
}

/// A connection of either kind. Its socket is non-blocking once connected.
pub(crate) enum Connection {
    Http { stream: TcpStream, reader: ResponseReader, unsent: Vec<u8>, stale: bool },
    WebSocket(Box<WebSocket<TcpStream>>),
}

/// Length of the read buffer.
pub(crate) const SCRATCH: usize = 256 * 1024;

impl Connection {
    /// Connects; blocks until the server has accepted.
    pub(crate) fn open(address: &Address) -> io::Result<Self> {
        let stream = TcpStream::connect(address.socket)?;
        stream.set_nodelay(true)?;
        if !address.web_socket {
            stream.set_nonblocking(true)?;
            return Ok(Self::Http { stream, reader: ResponseReader::default(), unsent: Vec::new(), stale: false });
        }
        let socket = open_web_socket(address, stream, WebSocketConfig::default())?;
        socket.get_ref().set_nonblocking(true)?;
        Ok(Self::WebSocket(Box::new(socket)))
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        match self {
            Self::Http { stream, .. } => stream.as_raw_fd(),
            Self::WebSocket(socket) => socket.get_ref().as_raw_fd(),
        }
    }

    /// True when the server has announced that it will close it.
    pub(crate) fn is_stale(&self) -> bool {
        matches!(self, Self::Http { stale: true, .. })
    }

    /// Starts to send a request; the rest is sent when the socket is writable.
    pub(crate) fn send(&mut self, requests: &Requests, index: usize) -> io::Result<()> {
        match (self, requests) {
            (Self::Http { stream, unsent, .. }, Requests::Http(requests)) => {
                let request = &requests[index];
                let sent = ready(stream.write(request))?.unwrap_or(0);
                unsent.extend_from_slice(&request[sent..]);
                Ok(())
            }
            (Self::WebSocket(socket), Requests::WebSocket(requests)) => {
                ready_frame(socket.send(requests[index].clone())).map(|_| ())
            }
            _ => Err(io::Error::other("requests of the other protocol")),
        }
    }

    /// Continues with the request in flight after the socket became ready.
    pub(crate) fn advance(&mut self, scratch: &mut [u8]) -> io::Result<Outcome> {
        match self {
            Self::Http { stream, reader, unsent, stale } => {
                if !unsent.is_empty() {
                    let sent = ready(stream.write(unsent))?.unwrap_or(0);
                    unsent.drain(..sent);
                }
                read_available(stream, reader, scratch)?;
                Ok(match reader.next()? {
                    None => Outcome::Waiting,
                    Some(response) => {
                        *stale = response.closes;
                        Outcome::Answered { failure: response.failure }
                    }
                })
            }
            Self::WebSocket(socket) => loop {
                match ready_frame(socket.read())? {
                    None => {
                        ready_frame(socket.flush())?;
                        return Ok(Outcome::Waiting);
                    }
                    Some(message @ (Message::Text(_) | Message::Binary(_))) => {
                        return Ok(Outcome::Answered { failure: Failure::of_message(&message.into_data()) });
                    }
                    Some(_) => {}
                }
            },
        }
    }
}

/// Makes a WebSocket of a connected stream that is still blocking.
pub(crate) fn open_web_socket(
    address: &Address,
    stream: TcpStream,
    config: WebSocketConfig,
) -> io::Result<WebSocket<TcpStream>> {
    tungstenite::client::client_with_config(address.url(), stream, Some(config))
        .map(|(socket, _)| socket)
        .map_err(|error| io::Error::other(error.to_string()))
}

/// Reads until the socket is empty. A short read means that it is empty, so most answers take one call.
fn read_available(stream: &mut TcpStream, reader: &mut ResponseReader, scratch: &mut [u8]) -> io::Result<()> {
    loop {
        match ready(stream.read(scratch))? {
            None => return Ok(()),
            Some(0) => {
                reader.clear();
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Some(count) => {
                reader.extend(&scratch[..count]);
                if count < scratch.len() {
                    return Ok(());
                }
            }
        }
    }
}

/// None when the socket is not ready.
fn ready(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// None when the socket is not ready.
pub(crate) fn ready_frame<T>(result: tungstenite::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(tungstenite::Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}
