/* Two slider cranks with a damped spring of 1e8 N/m, from starts that have left the fast motion
 * behind them, and their state vectors after half a second by problems/references/stiff_cranks.c:
 * q, v, lambda. */
#ifndef DAEDAL_TESTS_STIFF_CRANKS_H
#define DAEDAL_TESTS_STIFF_CRANKS_H

/* The slider crank of problems/mechanisms.c, whose slider carries a mass on a spring along its
 * slide: the direction of the stiffness is always the same. */
static const char stiff_load[] =
    "model load\n"
    "param l1 = 0.5, l2 = 1.25, m1 = 1, m2 = 2, m3 = 3, m4 = 1, J1 = 0.25/3, J2 = 3.125/12\n"
    "param g = 9.81, k = 1e8, c = 1e4\n"
    "param a0 = 0.0384354218401743511, w0 = 3.67924291134861781\n"
    "let b0 = -asin(l1/l2*sin(a0)), v0 = -l1/l2*cos(a0)/cos(b0)*w0\n"
    "coord a = a0 rate w0\n"
    "coord x = l1*cos(a0) + l2/2*cos(b0) rate -l1*sin(a0)*w0 - l2/2*sin(b0)*v0\n"
    "coord y = l1/2*sin(a0) rate l1/2*cos(a0)*w0\n"
    "coord b = b0 rate v0\n"
    "coord s = l1*cos(a0) + l2*cos(b0) rate -l1*sin(a0)*w0 - l2*sin(b0)*v0\n"
    "coord z = 1.74948314662531579 rate -0.0989500989762880784\n"
    "kinetic J1*a'^2/2 + m2*(x'^2 + y'^2)/2 + J2*b'^2/2 + m3*s'^2/2 + m4*z'^2/2\n"
    "potential m1*g*l1/2*sin(a) + m2*g*y + k*(z - s)^2/2\n"
    "force s = c*(z' - s')\n"
    "force z = -c*(z' - s')\n"
    "constraint x - l2/2*cos(b) = l1*cos(a)\n"
    "constraint y - l2/2*sin(b) = l1*sin(a)\n"
    "constraint x + l2/2*cos(b) = s\n"
    "constraint y + l2/2*sin(b) = 0\n";
static const double stiff_load_end[] = {
    -0.726955012304430692, 0.976111677685573364, -0.166149375008832091, 0.269074134235833326,
    1.57862257815474702,   1.578622606504295,    -3.34598036304096794,  -1.28422448949220428,
    -0.625030432091458442, 1.0373761397590465,   -1.45658388676224471,  -1.45658410911439934,
    17.0338377598827724,   -9.36470981196919808, -11.3309319864351228,  -15.4512097674663587};

/* A crank whose wrist pin is a bushing: the direction of the stiffness turns with the rod. */
static const char stiff_bushing[] =
    "model bushing\n"
    "param k = 1e8, c = 1e4, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755, l1 = 0.15, l2 = "
    "0.3\n"
    "param p0 = 0.0496358263908281, t0 = -0.0248102894736081901\n"
    "param w0 = 9.84713722224960541, v0 = -4.91901801287057427\n"
    "coord phi = p0 rate w0\n"
    "coord x = l1*cos(p0) + l2/2*cos(t0) rate -l1*sin(p0)*w0 - l2/2*sin(t0)*v0\n"
    "coord y = l1*sin(p0) + l2/2*sin(t0) rate l1*cos(p0)*w0 + l2/2*cos(t0)*v0\n"
    "coord th = t0 rate v0\n"
    "coord s = 0.449722947619322744 rate -0.109894640629067203\n"
    "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"
    "let vx = x' - l2/2*sin(th)*th' - s', vy = y' + l2/2*cos(th)*th'\n"
    "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"
    "potential k*(ex^2 + ey^2)/2 + 9.81*m2*y\n"
    "force x = -c*vx\n"
    "force y = -c*vy\n"
    "force th = c*l2/2*(vx*sin(th) - vy*cos(th))\n"
    "force s = c*vx\n"
    "constraint x - l2/2*cos(th) = l1*cos(phi)\n"
    "constraint y - l2/2*sin(th) = l1*sin(phi)\n";
static const double stiff_bushing_end[] = {
    3.45524876531895828,  0.00552254616703499177, -0.0231403847266148942, 0.15488775223239412,
    0.153726867076745761, 10.6526259077966353,    0.374351538809564684,   -0.759967787046304091,
    5.12783849814236847,  0.255691362359833819,   -2.68442580018553954,   -1.16850486181893981};

#endif
