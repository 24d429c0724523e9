import { execFile } from 'node:child_process'

/** Address of notifications from a service of type notify (sd_notify(3)). */
const SOCKET = 'NOTIFY_SOCKET'

/**
 * Notifies systemd of the state of the service, if it started the process; resolves afterwards. Node.js has
 * no datagram sockets of the file system, so that systemd's own tool is used; where it is missing nothing is
 * sent.
 * @param state such as READY=1
 */
export function notifySupervisor(state: string): Promise<void> {
  if (process.env[SOCKET] === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    execFile('systemd-notify', [`--pid=${process.pid}`, state], () => resolve())
  })
}
