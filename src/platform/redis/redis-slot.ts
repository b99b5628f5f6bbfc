const POLYNOMIAL = 0x1021;
const SLOTS = 16_384;

/**
 * The slot of a Redis Cluster that has the keys with this hash tag: CRC-16/XMODEM modulo 16384.
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
 */
export function slotOf(hashTag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
    crc &= 0xffff;
  }
  return crc % SLOTS;
}
