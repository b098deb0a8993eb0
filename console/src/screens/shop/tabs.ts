export const TABS = [
  { path: '/shop', label: 'Products' },
  { path: '/shop/orders', label: 'Orders' },
]
