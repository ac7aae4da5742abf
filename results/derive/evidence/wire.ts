// Upper bounds of the headers that TCP and the transport add to payload, to interpret the byte counts of interfaces.

/** Headers of a packet: Ethernet 14, IPv6 40, TCP with timestamps 32 (RFC 7323). */
const packetHeaderBytes = 86;
/** Header before each message (native/transports/socket/wire.h). */
const messageHeaderBytes = 16;
/** Payload of a packet: on `lo` (MTU 65536), and with the usual MTU of 1500. Larger frames need fewer packets. */
const packetPayloadBytes = (isLoopback: boolean): number => (isLoopback ? 65_464 : 1428);

/** Maximum bytes of headers and acknowledgements of these messages: each packet is acknowledged by a packet of its own. */
export function headersUpTo(messages: number, payloadBytes: number, isLoopback: boolean): number {
  const packets = messages + Math.ceil(payloadBytes / packetPayloadBytes(isLoopback));
  return messages * messageHeaderBytes + 2 * packets * packetHeaderBytes;
}
