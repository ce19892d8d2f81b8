import { describe, expect, it } from 'vitest'
import { addressKind, isPublicAddress } from '../../src/policy/address.ts'

const viaUrl = (host: string) => addressKind(new URL(`http://${host}/`).hostname)

describe('addressKind()', () => {
  it('takes the first and last address of every special-purpose IPv4 block for not public, and their neighbours for public', () => {
    const blocks = [
      ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
      ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
      ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
      ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
      ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
      ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
      ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
      ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
      ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
      ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
      ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
      ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
      ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
      ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
      ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
      ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
      ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
      ['224.0.0.0', '255.255.255.255', '223.255.255.255', undefined],
    ]
    for (const [first, last, before, after] of blocks) {
      expect([first, addressKind(first!)]).not.toContain('public')
      expect([last, addressKind(last!)]).not.toContain('public')
      for (const outside of [before, after])
        if (outside) expect([outside, addressKind(outside)]).toEqual([outside, 'public'])
    }
  })

  it('takes every special-purpose IPv6 block for not public', () => {
    const special = [
      '::',
      '::1',
      '::7f00:1',
      '::8.8.8.8',
      '64:ff9b:1::1',
      '100::1',
      '100:0:0:1::1',
      '2001::1',
      '2001:1::1',
      '2001:2::1',
      '2001:3::1',
      '2001:4:112::1',
      '2001:10::1',
      '2001:20::1',
      '2001:30::1',
      '2001:1ff:ffff::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '2002:808:808::',
      '2620:4f:8000::1',
      '3fff::1',
      '3fff:fff::1',
      '5f00::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'febf::1',
      'fec0::1',
      'ff02::1',
      '4000::1',
      '1::1',
      '2600::5efe:7f00:1',
      '2600::200:5efe:a00:1',
    ]
    for (const address of special) expect([address, addressKind(`[${address}]`)]).not.toContain('public')
  })

  it('names what it refuses', () => {
    const kinds = ['[febf::1]', '[fdff::1]', '[ff0e::1]', '[::1]', '[::]', '[2001:db8::1]', '100.127.0.1'].map(
      addressKind,
    )
    expect(kinds).toEqual([
      'link-local',
      'private',
      'multicast',
      'loopback',
      'unspecified',
      'documentation',
      'shared address space',
    ])
  })

  it('takes global IPv6 addresses for public', () => {
    for (const address of [
      '2606:4700:4700::1111',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2a00:1450::1',
      '3ffe::1',
      '2003::1',
    ])
      expect([address, addressKind(`[${address}]`)]).toEqual([address, 'public'])
  })

  it('judges mapped and NAT64 addresses by the IPv4 address inside', () => {
    expect(addressKind('[::ffff:127.0.0.1]')).toBe('loopback')
    expect(addressKind('[::ffff:a9fe:a9fe]')).toBe('link-local')
    expect(addressKind('[64:ff9b::10.0.0.1]')).toBe('private')
    expect(addressKind('[64:ff9b::8.8.8.8]')).toBe('public')
    expect(addressKind('[::ffff:8.8.8.8]')).toBe('public')
  })

  it('sees through odd spellings, as the URL parser reads them', () => {
    for (const host of [
      '127.1',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
      '0x7f000001',
      '127.0.0.1.',
      '１２７.0.0.1',
      '127。0。0。1',
      '[0:0::1]',
      '[::FFFF:7F00:1]',
    ])
      expect([host, viaUrl(host)]).toEqual([host, 'loopback'])
    expect(viaUrl('0')).toBe('this network')
    expect(viaUrl('①⑥⑨.254.169.254')).toBe('link-local')
  })

  it('takes names of the machine and its network for local', () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      'a.localhost',
      'localhost.',
      'printer.local',
      'metadata.google.internal',
      'intranet',
      'nas.home.arpa',
      'x.onion',
    ])
      expect([host, addressKind(host)]).toEqual([host, 'local name'])
    for (const host of ['example.com', 'localhost.example.com', 'mylocal.org', 'example.com.'])
      expect([host, addressKind(host)]).toEqual([host, 'name'])
  })

  it('takes what is neither a name nor an address for invalid', () => {
    for (const host of [
      '',
      'a..b',
      '1.2.3.999',
      '1.2.3',
      '[::1%eth0]',
      '[1:2]',
      '[::1::]',
      '[1:2:3:4:5:6:7:8:9]',
      'a.0x7f',
    ])
      expect([host, addressKind(host)]).toEqual([host, 'invalid'])
  })

  it('says of an address that it is public, never of a name', () => {
    expect([isPublicAddress('8.8.8.8'), isPublicAddress('10.1.1.1'), isPublicAddress('example.com')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
