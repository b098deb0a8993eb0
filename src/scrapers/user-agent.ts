/** Who asks, and where a site's owner reads more (scrapers contract §4). */
export function userAgentOf(version: string, publicUrl: string | undefined): string {
  return `Entrepot/${version} (+${publicUrl ?? 'http://localhost'})`
}
