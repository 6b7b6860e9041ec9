// Sixteen structures that judged a rule once, before they taught it: cc -O2 -o eighth eighth.c -lm; ./eighth NAME; cat NAME.head NAME.body
// >NAME.mtx
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef long L;
static uint64_t z = 88172645463325252ULL;
static uint64_t r64(void) {
  z += 0x9E3779B97F4A7C15ULL;
  uint64_t x = z;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}
static double u(void) { return (r64() >> 11) * 0x1p-53; }
static L ri(L n) { return (L)(u() * n); }
static double ga(void) { return sqrt(-2 * log(1 - u())) * cos(6.283185307179586 * u()); }
static L R, C, nnz;
static int *b;
static L nb;
static FILE *f;
static int cmp(const void *a, const void *c) { return *(int *)a - *(int *)c; }
static void add(L c) {
  if (c >= 0 && c < C)
    b[nb++] = (int)c;
}
static void row(L r) {
  if (nb > 1)
    qsort(b, nb, 4, cmp);
  for (L i = 0; i < nb; i++)
    if (!i || b[i] != b[i - 1]) {
      fprintf(f, "%ld %d %.6g\n", r + 1, b[i] + 1, 2 * u() - 1);
      nnz++;
    }
  nb = 0;
}
static L zipf(L n, double e) {
  double a = 1 - e, x = pow((pow(n, a) - 1) * u() + 1, 1 / a);
  L k = (L)x - 1;
  return k < 0 ? 0 : k >= n ? n - 1 : k;
}
static L spread(L x) {
  L y = 0;
  for (int i = 0; i < 12; i++)
    y |= (x >> i & 1) << (2 * i);
  return y;
}
static L *perm(L n) {
  L *p = malloc(8 * n);
  for (L i = 0; i < n; i++)
    p[i] = i;
  for (L i = n - 1; i > 0; i--) {
    L j = ri(i + 1), t = p[i];
    p[i] = p[j];
    p[j] = t;
  }
  return p;
}
#define IS(n) (!strcmp(k, n))
int main(int ac, char **av) {
  const char *k = av[1];
  for (const char *s = k; *s; s++)
    z = z * 1099511628211ULL + *s;
  b = malloc(4L * 40000000);
  char nm[99];
  sprintf(nm, "%s.body", k);
  f = fopen(nm, "w");
  setvbuf(f, 0, _IOFBF, 1 << 20);
  if (IS("hexmorton")) {
    L s = 1024;
    R = C = s * s;
    L *y = malloc(8 * R), *x = malloc(8 * R);
    for (L j = 0; j < s; j++)
      for (L i = 0; i < s; i++) {
        L m = spread(i) | spread(j) << 1;
        x[m] = i;
        y[m] = j;
      }
    for (L r = 0; r < R; r++) {
      int d[7][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
      for (int q = 0; q < 7; q++) {
        L i = (x[r] + d[q][0] + s) % s, j = (y[r] + d[q][1] + s) % s;
        add(spread(i) | spread(j) << 1);
      }
      row(r);
    }
  } else if (IS("leontief")) {
    L g = 3000, m = 40;
    R = C = g * m;
    for (L r = 0; r < R; r++) {
      L h = r / m;
      for (L j = 0; j < m; j++)
        if (u() < .7)
          add(h * m + j);
      L n = (L)exp(2.5 + .8 * ga());
      for (L j = 0; j < n; j++)
        add(zipf(g, .9) * m + ri(m));
      row(r);
    }
  } else if (IS("webhosts")) {
    R = C = 1000000;
    L h = 0, e = 0;
    for (L r = 0; r < R; r++) {
      if (r >= e) {
        h = e;
        e = h + 3 + (L)(20 * pow(u() + 1e-5, -.7));
      }
      L n = (L)(2 * pow(u() + 1e-6, -.5));
      if (n > 3000)
        n = 3000;
      for (L j = 0; j < n; j++)
        if (u() < .8)
          add(h + (L)((e - h) * u() * u()));
        else
          add(zipf(C, 1.1));
      add(h);
      row(r);
    }
  } else if (IS("fingerprints")) {
    R = 110000;
    C = 2048;
    L *p = perm(C);
    for (L r = 0; r < R; r++) {
      L n = 30 + ri(60);
      for (L j = 0; j < n; j++)
        add(p[zipf(C, .7)]);
      row(r);
    }
  } else if (IS("ancestors")) {
    R = C = 450000;
    int *q = malloc(4 * R);
    q[0] = 0;
    for (L i = 1; i < R; i++)
      q[i] = (int)ri(i);
    for (L r = 0; r < R; r++) {
      L v = r;
      while (1) {
        add(v);
        if (!v)
          break;
        v = q[v];
      }
      row(r);
    }
  } else if (IS("edges")) {
    R = 3500000;
    C = 1200000;
    for (L r = 0; r < R; r++) {
      L a = ri(C);
      add(a);
      add(u() < .5 ? a + 1 + ri(2000) : ri(C));
      row(r);
    }
  } else if (IS("cover")) {
    R = 1600000;
    C = 60000;
    for (L r = 0; r < R; r++) {
      for (int q = 0; q < 4; q++)
        add(q * 15000 + (q < 2 ? (r / 107 + ri(30)) % 15000 : ri(15000)));
      row(r);
    }
  } else if (IS("blocktri")) {
    L m = 12, g = 20000;
    R = C = m * g;
    for (L r = 0; r < R; r++) {
      L h = r / m;
      for (L a = h - 1; a <= h + 1; a++)
        for (L j = 0; j < m; j++)
          add(a * m + j);
      row(r);
    }
  } else if (IS("species")) {
    R = 60000;
    C = 1300000;
    for (L r = 0; r < R; r++) {
      L n = r < 8 ? C / (3 + r) : (L)exp(3 + 1.3 * ga());
      if (n < 2)
        n = 2;
      if (n > C / 2)
        n = C / 2;
      L c = ri(C);
      for (L j = 0; j < n; j++)
        add(r < 8 ? ri(C) : u() < .5 ? c + ri(4 * n) : ri(C));
      row(r);
    }
  } else if (IS("conv")) {
    L s = 800;
    L o = s / 2 - 3;
    R = o * o;
    C = s * s;
    for (L r = 0; r < R; r++) {
      L yy = r / o * 2, xx = r % o * 2;
      for (int a = 0; a < 7; a++)
        for (int c = 0; c < 7; c++)
          add((yy + a) * s + xx + c);
      row(r);
    }
  } else if (IS("cells")) {
    L s = 30;
    L per = 8;
    R = C = s * s * s * per;
    double *q = malloc(24 * R);
    for (L i = 0; i < R * 3; i++)
      q[i] = u();
    for (L r = 0; r < R; r++) {
      L c = r / per, X = c % s, Y = c / s % s, Z = c / s / s;
      for (L a = -1; a < 2; a++)
        for (L d = -1; d < 2; d++)
          for (L e = -1; e < 2; e++) {
            L x = X + a, y = Y + d, w = Z + e;
            if (x < 0 || y < 0 || w < 0 || x >= s || y >= s || w >= s)
              continue;
            L o = (w * s + y) * s + x;
            for (L j = 0; j < per; j++) {
              L t = o * per + j;
              double p0 = q[3 * t] + a - q[3 * r], p1 = q[3 * t + 1] + d - q[3 * r + 1],
                     p2 = q[3 * t + 2] + e - q[3 * r + 2];
              if (p0 * p0 + p1 * p1 + p2 * p2 < .9)
                add(t);
            }
          }
      row(r);
    }
  } else if (IS("hubs")) {
    R = C = 150000;
    for (L r = 0; r < R; r++) {
      L n = (L)exp(u() * log(500.));
      n = n * (u() < .01 ? 20 : 1);
      for (L j = 0; j < n; j++)
        add(u() < .3 ? r + ri(200) - 100 : ri(C));
      row(r);
    }
  } else if (IS("triangle")) {
    R = C = 300000;
    for (L r = 0; r < R; r++) {
      L n = (L)(2 + 60. * r / R * u());
      for (L j = 0; j < n; j++)
        add(r - (L)(-log(1 - u()) * 3000));
      add(r);
      if (r > R - 1500)
        for (L j = R - 1500; j < r; j++)
          add(j);
      row(r);
    }
  } else if (IS("lost3d")) {
    L s = 105;
    R = C = s * s * s;
    L *p = perm(R), *q = perm(R);
    L *inv = malloc(8 * R);
    for (L i = 0; i < R; i++)
      inv[p[i]] = i;
    for (L r = 0; r < R; r++) {
      L v = inv[r], x = v % s, y = v / s % s, w = v / s / s;
      add(q[v]);
      if (x)
        add(q[v - 1]);
      if (x < s - 1)
        add(q[v + 1]);
      if (y)
        add(q[v - s]);
      if (y < s - 1)
        add(q[v + s]);
      if (w)
        add(q[v - s * s]);
      if (w < s - 1)
        add(q[v + s * s]);
      row(r);
    }
  } else if (IS("decay")) {
    R = C = 20000;
    for (L r = 0; r < R; r++) {
      for (int s = -1; s < 2; s += 2) {
        double d = 0;
        while (1) {
          d += 1 - log(1 - u()) * .6 * exp(d / 300.);
          if (d > 5000)
            break;
          add(r + s * (L)d);
        }
      }
      add(r);
      row(r);
    }
  } else if (IS("debruijn")) {
    R = C = 2000003;
    for (L r = 0; r < R; r++) {
      for (int j = 0; j < 4; j++)
        add((4 * r + j) % C);
      row(r);
    }
  } else
    return 2;
  fclose(f);
  sprintf(nm, "%s.head", k);
  f = fopen(nm, "w");
  fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%ld %ld %ld\n", R, C, nnz);
  fclose(f);
  return 0;
}
