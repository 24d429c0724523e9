import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'

/**
 * Without a sign of life for so long, twice, messages end ({@link endWhenSilent}), milliseconds: the server that had the
 * consumer may be gone although the connection is to another one.
 */
export const HEARTBEAT = 1000
/** The stream forgets a consumer that nobody asks, milliseconds. */
const INACTIVE = 60_000

/** Pause before a stream is read anew, milliseconds. */
export const READ_PAUSE = 250

/** The server that has the stream. */
export interface StreamServer {
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
}

/** What is read of a stream. */
export interface StreamRange {
  readonly stream: string
  /** First sequence; null for what comes from now on. */
  readonly from: number | null
  /** Bytes that are asked of the stream in advance. */
  readonly askedBytes: number
}

/**
 * Ends messages whose consumer is silent, so that they are asked of another one. The client itself looks after such a
 * consumer once, and where the stream has no leader at that time, not again for half a minute.
 */
export function endWhenSilent(messages: ConsumerMessages): void {
  void (async () => {
    for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop()
  })().catch(() => undefined)
}

/**
 * Reads a stream in its order, with a consumer that acknowledges nothing and goes when the work ends.
 * @param work takes the messages, until it has enough or they are stopped
 * @throws what the server, the connection or the work fails with
 */
export async function readStream(
  { jetstream, manager }: StreamServer,
  { stream, from, askedBytes }: StreamRange,
  work: (messages: ConsumerMessages) => Promise<void>,
): Promise<void> {
  const { name } = await manager.consumers.add(stream, {
    ack_policy: AckPolicy.None,
    ...(from === null
      ? { deliver_policy: DeliverPolicy.New }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }),
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(INACTIVE),
  })
  const consumer = await jetstream.consumers.get(stream, name)
  const messages = await consumer.consume({
    max_bytes: askedBytes,
    idle_heartbeat: HEARTBEAT,
    abort_on_missing_resource: true,
  })
  endWhenSilent(messages)
  try {
    await work(messages)
  } finally {
    messages.stop()
    // It goes by itself as well, and a stream without a leader answers nothing.
    void consumer.delete().catch(() => undefined)
  }
}
