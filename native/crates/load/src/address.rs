//! Addresses of servers.

use std::error::Error;
use std::net::{SocketAddr, ToSocketAddrs};

/// A server and a path there.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) web_socket: bool,
    pub(crate) host: String,
    pub(crate) socket: SocketAddr,
    pub(crate) path: String,
}

impl Address {
    /// Reads `http://HOST:PORT/PATH` or the same with `ws:`.
    pub(crate) fn parse(url: &str) -> Result<Self, Box<dyn Error>> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| format!("no address: {url}"))?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let web_socket = match scheme {
            "http" => false,
            "ws" => true,
            other => return Err(format!("http or ws expected, not {other}").into()),
        };
        let socket = host.to_socket_addrs()?.next().ok_or_else(|| format!("no such host: {host}"))?;
        Ok(Self { web_socket, host: host.to_owned(), socket, path: format!("/{path}") })
    }

    /// The same as a string, for the handshake of a WebSocket.
    pub(crate) fn url(&self) -> String {
        format!("{}://{}{}", if self.web_socket { "ws" } else { "http" }, self.host, self.path)
    }
}
