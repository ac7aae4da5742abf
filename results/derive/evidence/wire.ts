// Upper bounds of the headers that TCP and the transport add to payload, to interpret the byte counts of interfaces.

/** Header bytes of one packet: Ethernet 14, IPv6 40, TCP with timestamps 32 (RFC 7323). */
const packetHeaderBytes = 86;
/** Bytes of collbench's own header before each message (native/transports/socket/wire.h). */
const messageHeaderBytes = 16;
/** Payload bytes of one packet: with the MTU of lo (65536), else with the usual MTU of 1500. Larger MTUs need fewer packets. */
const packetPayloadBytes = (isLoopback: boolean): number => (isLoopback ? 65_464 : 1428);

/**
 * Returns the highest number of header and acknowledgement bytes of these messages. Each packet is assumed to be acknowledged by
 * a packet of its own.
 */
export function headersUpTo(messages: number, payloadBytes: number, isLoopback: boolean): number {
  const packets = messages + Math.ceil(payloadBytes / packetPayloadBytes(isLoopback));
  return messages * messageHeaderBytes + 2 * packets * packetHeaderBytes;
}
