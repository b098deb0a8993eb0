/**
 * Ranges a request made for a user must not reach (webhooks contract §10), after the IANA
 * special-purpose registries of IPv4 and IPv6.
 */
export const REFUSED_V4 = [
  '0.0.0.0/8', // unspecified: Linux connects 0.0.0.0 to itself
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier NAT; one cloud's metadata at 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a public address that one cloud uses inside every machine for its metadata
  '169.254.0.0/16', // link-local, with cloud metadata at 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; one cloud's metadata at 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // reserved, once the 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with broadcast
] as const

/**
 * Only 2000::/3 is public in IPv6. The first three entries refuse all the rest at once: loopback,
 * unspecified, IPv4-compatible, unique-local, link-local, site-local, multicast, discard and
 * whatever is assigned there later.
 */
export const REFUSED_V6 = [
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
] as const

export const LOOPBACK = ['127.0.0.0/8', '::1/128'] as const

/** Names that clouds resolve to their metadata service, some of them only inside a machine. */
export const METADATA_NAMES: ReadonlySet<string> = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.aliyuncs.com',
  'metadata.azure.com',
  'metadata.azure.internal',
  'metadata.ec2.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.oraclecloud.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'rancher-metadata',
  'rancher-metadata.rancher.internal',
])
