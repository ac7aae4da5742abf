// What TCP and the transport add to payload, at most: so that what an interface counted can be understood.

/** Ethernet 14, IPv6 40, TCP with timestamps 32 (RFC 7323). */
const packetHeaderBytes = 86;
/** Before each message (native/transports/socket/wire.h). */
const messageHeaderBytes = 16;
/** Payload of a packet: of `lo` (MTU 65536), and of the usual MTU of 1500; larger frames need fewer packets. */
const packetPayloadBytes = (isLoopback: boolean): number => (isLoopback ? 65_464 : 1428);

/** Bytes of headers and acknowledgements of these messages, at most: each packet is acknowledged by one of its own. */
export function headersUpTo(messages: number, payloadBytes: number, isLoopback: boolean): number {
  const packets = messages + Math.ceil(payloadBytes / packetPayloadBytes(isLoopback));
  return messages * messageHeaderBytes + 2 * packets * packetHeaderBytes;
}
