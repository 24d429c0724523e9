import { execFile } from 'node:child_process'

/** Where systemd takes notes from a service of type notify (sd_notify(3)). */
const SOCKET = 'NOTIFY_SOCKET'

/**
 * Tells systemd about the state of the service, if it started the process; resolves when it was told. Node.js has no
 * datagram sockets of the file system, so that systemd's own tool says it; where it is missing nothing is said.
 * @param state such as READY=1
 */
export function notifySupervisor(state: string): Promise<void> {
  if (process.env[SOCKET] === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    execFile('systemd-notify', [`--pid=${process.pid}`, state], () => resolve())
  })
}
