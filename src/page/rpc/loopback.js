const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether a host name of a URL is this machine itself. @param {string} hostname */
export function isLoopback(hostname) {
  return LOOPBACK.test(hostname)
}
